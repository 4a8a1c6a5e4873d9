import Dispatch
import Foundation
import Testing

@testable import FreshetCLI

/// What a thread beside the main one may rely on when it has flushed.
@Suite struct OutputTests {
  private let reading: FileHandle
  private let output: Output
  private let writing: FileHandle

  init() {
    let pipe = Pipe()
    reading = pipe.fileHandleForReading
    writing = pipe.fileHandleForWriting
    output = Output(format: .ndjson, descriptor: writing.fileDescriptor)
  }

  private func emit(_ length: Int) {
    output.emit(EventHead("stream.error")) { data in
      data.string("text", String(repeating: "x", count: length))
    }
  }

  /// Runs a job's flush on a thread of its own.
  private func flushAsJob(
    called: DispatchSemaphore, done: DispatchSemaphore
  ) {
    let job = Output(jobOf: output, correlation: nil, call: { called.signal() })
    Thread.detachNewThread {
      #expect(throws: Never.self) { try job.flush() }
      done.signal()
    }
  }

  private func isSignaled(_ semaphore: DispatchSemaphore) -> Bool {
    semaphore.wait(timeout: .now() + 60) == .success
  }

  @Test("a job's flush waits for bytes that are on their way out of the buffer")
  func inFlight() {
    emit(1 << 19)
    let total = output.waitingBytes
    let (called, done, written) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    Thread.detachNewThread { [output] in
      #expect(throws: Never.self) { try output.flush() }
      written.signal()
    }
    // The pipe holds less than the record: once its beginning can be read, the rest is on its way.
    var rest = total - reading.readData(ofLength: 4096).count
    flushAsJob(called: called, done: done)
    #expect(isSignaled(called))
    #expect(done.wait(timeout: .now()) == .timedOut)
    while rest > 0 { rest -= reading.readData(ofLength: min(rest, 65_536)).count }
    #expect(isSignaled(written) && isSignaled(done))
  }

  @Test("a job that waits is let go by a write of what fits, too")
  func whatFits() throws {
    emit(10)
    let (called, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    flushAsJob(called: called, done: done)
    #expect(isSignaled(called))
    try output.flushWhatFits()
    #expect(isSignaled(done))
    #expect(output.waitingBytes == 0)
  }
}
