/// Tells a service manager how far a process is, by sd_notify(3)'s protocol: one datagram a message
/// to the socket that `NOTIFY_SOCKET` names.
///
/// A manager that cannot be told is not an error: the process does its work all the same.
struct ServiceManager {
  private let address: String?

  init(environment: (String) -> String?) {
    let address = environment("NOTIFY_SOCKET") ?? ""
    // A path, or a name in the abstract name space, written with `@`.
    self.address = address.hasPrefix("/") || address.hasPrefix("@") ? address : nil
  }

  /// The process does what it was started for.
  func ready() { tell("READY=1") }

  /// The process was asked to end and does so.
  func stopping() { tell("STOPPING=1") }

  private func tell(_ message: String) {
    if let address { System.sendDatagram(Array(message.utf8), to: address) }
  }
}
