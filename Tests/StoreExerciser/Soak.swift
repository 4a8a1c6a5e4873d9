import StoreFaults

struct Soak {
  let minutes: Int; let folder: String
  func run() throws {}
}
