/// What the store asks of a disk.
///
/// The engine touches files through this seam only, so that tests can tear writes, fail syncs and
/// fill disks. One call here is one system call that may fail, be interrupted or be cut short; the
/// loops that make up for that are in `File`'s extension, so that tests exercise them too.
package protocol FileSystem: Sendable {
  /// Opens a file; without waiting, and with an error that `isNoFile`, when its name leads to
  /// anything else.
  func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> any File
  /// Makes one directory that only its owner may enter.
  func makeDirectory(_ path: String) throws(SystemError)
  func rename(_ from: String, to: String) throws(SystemError)
  func remove(_ path: String) throws(SystemError)
  /// The names in a directory, in no order.
  func list(_ path: String) throws(SystemError) -> [String]
  /// Nil when there is nothing at the path.
  func status(at path: String) throws(SystemError) -> FileStatus?
  /// Makes creations, renames and removals in the directory durable.
  func synchronizeDirectory(_ path: String) throws(SystemError)
  /// The type in the mount table, such as `ext4` or `nfs4`; nil when it cannot be told.
  func mountType(at path: String) -> String?
  /// Watches a file for writes and its directory for entries.
  func watch(directory: String, file: String) throws(SystemError) -> any Watch
  /// The same, with `includesWrites` for writes to any file of the directory.
  func watch(
    directory: String, file: String, includesWrites: Bool
  ) throws(SystemError) -> any Watch
  func pause(microseconds: UInt32)
  /// Bytes that this user may still write; nil when it cannot be told.
  func freeBytes(at path: String) throws(SystemError) -> Int64?
}

extension FileSystem {
  package func watch(
    directory: String, file: String, includesWrites: Bool
  ) throws(SystemError) -> any Watch {
    try watch(directory: directory, file: file)
  }

  package func freeBytes(at path: String) throws(SystemError) -> Int64? { nil }
}

/// How to open a file; files that are made get mode 0600 whatever the umask.
package enum OpenMode: Sendable, Hashable {
  case read, update, create, createNew
}

/// Tells two files apart even when one took over the other's name.
package struct FileIdentity: Sendable, Hashable {
  package let device: UInt64
  package let node: UInt64

  package init(device: UInt64, node: UInt64) {
    self.device = device
    self.node = node
  }
}

/// What a file is.
package struct FileStatus: Sendable, Hashable {
  package let identity: FileIdentity
  package let size: Int64
  package let isDirectory: Bool
  package let permissions: UInt32
  /// False for directories, pipes, sockets and devices.
  package let isFile: Bool

  package init(
    identity: FileIdentity, size: Int64, isDirectory: Bool, permissions: UInt32,
    isFile: Bool? = nil
  ) {
    self.isFile = isFile ?? !isDirectory
    self.identity = identity
    self.size = size
    self.isDirectory = isDirectory
    self.permissions = permissions
  }
}

/// An open file; it closes with its last reference.
package protocol File: AnyObject, Sendable {
  /// Reads up to the buffer's size; 0 at the end of the file.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int
  /// Writes some of the bytes, at least one, and says how many.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) -> Int
  func status() throws(SystemError) -> FileStatus
  func truncate(to size: Int64) throws(SystemError)
  /// Makes bytes, size and times durable.
  func synchronize() throws(SystemError)
  /// Makes the bytes and what is needed to read them back durable.
  func synchronizeData() throws(SystemError)
  /// False when another open file holds the lock and `wait` is false.
  func lock(wait: Bool) throws(SystemError) -> Bool
  func unlock()
  /// The first bytes of a file that never changes again, readable without a call.
  func map(count: Int) throws(SystemError) -> FileMapping
}

extension File {
  /// Where there is no mapping, a copy in memory does.
  package func map(count: Int) throws(SystemError) -> FileMapping {
    FileMapping(copying: try bytes(at: 0, count: count))
  }

  /// Reads until the buffer is full or the file ends.
  package func readFully(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = try readOnce(
        UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: offset + Int64(done))
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads with one call, which may give less than there is; again only when a signal came.
  package func readOnce(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    while true {
      do throws(SystemError) {
        return try read(buffer, at: offset)
      } catch  where error.isInterrupted {
        continue
      }
    }
  }

  /// The bytes of a range; fewer when the file ends before.
  package func bytes(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      if count >= 128 << 10 { Platform.populate(UnsafeMutableRawBufferPointer(buffer)) }
      do throws(SystemError) {
        initialized = try readFully(UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all bytes, in as many calls as it takes.
  package func writeFully(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count, failure == nil {
        do throws(SystemError) {
          done += try write(
            UnsafeRawBufferPointer(rebasing: buffer[done...]), at: offset + Int64(done))
        } catch {
          if !error.isInterrupted { failure = error }
        }
      }
    }
    if let failure { throw failure }
  }
}

/// Waits for signs of change.
///
/// A sign is a hint: whoever wakes reads the state again.
package protocol Watch: Sendable {
  /// Returns after a sign, an `interrupt`, or the time-out, whichever is first.
  func wait(milliseconds: Int32) throws(SystemError)
  /// Ends the current or the next `wait`; from any thread.
  func interrupt()
}
