import Dispatch
import Foundation
import FreshetTestServer

/// A server for trying the commands that ask catalogues, without a key and without the network.
///
///     swift run CatalogServer --port 8090 --cut-every 5 &
///     echo any >key && chmod 600 key
///     freshet search "해리 포터" --source kakao --all --kakao-url http://127.0.0.1:8090 \
///       --kakao-key-file key
///
/// It prints its address, then each request as a line, and runs until it is killed.
@main
enum CatalogServer {
  private static let usage = """
    usage: CatalogServer [--port N] [--pages N] [--refuse-page N [--refusals N]]
                         [--picture-bytes N] [--cut-every N] [--delay-ms N]

    """

  static func main() throws {
    var plan = CatalogueServer.Plan()
    var port = 0
    var words = CommandLine.arguments.dropFirst()
    while let word = words.popFirst() {
      guard let number = words.popFirst().flatMap(Int.init), number >= 0 else { fail() }
      switch word {
      case "--port": port = number
      case "--pages": plan.pages = number
      case "--refuse-page": plan.refusal = (number, plan.refusal?.times ?? 1)
      case "--refusals": plan.refusal = (plan.refusal?.page ?? 2, number)
      case "--picture-bytes": plan.pictureBytes = number
      case "--cut-every": plan.cutEvery = number
      case "--delay-ms": plan.delayMilliseconds = number
      default: fail()
      }
    }
    let server = try CatalogueServer(plan, port: port) { request in
      say("\(request.method) \(request.target) \(request.header("range") ?? "")")
    }
    say(server.url)
    dispatchMain()
  }

  private static func say(_ line: String) {
    // Nobody who reads it is left: nothing to say it to.
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }

  private static func fail() -> Never {
    try? FileHandle.standardError.write(contentsOf: Data(usage.utf8))
    exit(2)
  }
}
