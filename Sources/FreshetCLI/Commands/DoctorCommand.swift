import FreshetStore

/// `freshet doctor`: whether everything is here that the other commands need.
enum DoctorCommand {
  static let spec = CommandSpec(
    name: "doctor",
    summary: "Check the settings, the store and the machine.",
    examples: [
      .init(line: "freshet doctor", meaning: "what works here, and what to do about the rest"),
      .init(
        line: "freshet doctor --format ndjson | jq -c 'select(.data.status==\"fail\")'",
        meaning: "for programs"),
    ],
    notes: [
      "Reads only, and takes no lock. The exit code is 1 when a check fails; a warning leaves it 0."
    ],
    isForPeople: true,
    run: { (_, session) throws(Stop) in
      session.sayHello(command: "doctor")
      var examination = Examination()
      examination.checkSettings(session.settings)
      examination.checkStore(session)
      examination.checkMachine()
      for finding in examination.findings { session.tell(finding) }
      return session.counted("fail") == 0 ? .done : .someFailed
    })
}

/// What one check found.
private struct Finding {
  enum Status: String {
    case ok, warn, fail
  }

  let check: StaticString
  let status: Status
  let detail: String
  /// What to do about it.
  var advice: String?
}

private struct Examination {
  private(set) var findings: [Finding] = []

  private mutating func add(
    _ check: StaticString, _ status: Finding.Status, _ detail: String, advice: String? = nil
  ) {
    findings.append(Finding(check: check, status: status, detail: detail, advice: advice))
  }

  mutating func checkSettings(_ settings: Settings) {
    if let path = settings.configFile {
      add("config", .ok, "settings are read from \(path)")
    } else {
      add("config", .ok, "there is no config file; options, variables and defaults hold")
    }
  }

  // MARK: The store

  mutating func checkStore(_ session: Session) {
    guard let address = session.settings.store else {
      add(
        "store", .fail, "no store is named, and neither XDG_DATA_HOME nor HOME is set",
        advice: "name one with --store DIR or FRESHET_STORE")
      return
    }
    let path: String
    do {
      path = try Session.path(of: address.text)
    } catch {
      add("store", .fail, error.problem?.message ?? "the store's address makes no sense")
      return
    }
    if System.isMissingOrEmptyFolder(path) {
      add("store", .warn, "no store at \(path)", advice: "freshet save makes one")
      checkSpace(at: path)
      return
    }
    checkSpace(at: path)
    do {
      try Session.setUp(at: path, forReading: true)
      let manager = try DatabaseManager.shared
      add(
        "store", .ok,
        "\(path): store \(manager.storeID.prefix(8))…, epoch \(manager.epoch), commit "
          + "\(manager.token.revision)")
      checkSnapshot(of: manager, session)
      checkHead(of: manager, session)
      if manager.skippedRecords > 0 {
        add(
          "records", .warn, "\(manager.skippedRecords) records are of a later version and skipped",
          advice: "use the newer freshet that wrote them")
      }
    } catch {
      add("store", .fail, Problem(error).message)
    }
  }

  private mutating func checkSnapshot(of manager: DatabaseManager, _ session: Session) {
    do throws(Stop) {
      guard let problem = try session.wait(for: manager.checkSnapshot()) else { return }
      if problem.isDispensable {
        add(
          "snapshot", .warn, problem.message,
          advice: "nothing is lost: an older state and the journal after it are read instead; "
            + "`freshet store compact` writes another")
      } else {
        add(
          "snapshot", .fail, problem.message,
          advice: "restore the folder from a backup, or run `freshet store salvage NEW`")
      }
    } catch {
      add("snapshot", .fail, error.problem?.message ?? "it could not be read to its end")
    }
  }

  private mutating func checkHead(of manager: DatabaseManager, _ session: Session) {
    do throws(Stop) {
      guard let problem = try session.wait(for: manager.checkHead()) else { return }
      add(
        "head", .warn, problem.message,
        advice: problem.isDispensable
          ? "nothing is lost: the next command that writes makes it anew"
          : "until something is written, readers may stand before the last commit and call cursors "
            + "diverged: `freshet store compact` makes it anew")
    } catch {
      add("head", .fail, error.problem?.message ?? "it could not be read to its end")
    }
  }

  private mutating func checkSpace(at path: String) {
    var folder = path
    var free = System.freeBytes(at: folder)
    while free == nil, let slash = folder.lastIndex(of: "/") {
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
      free = System.freeBytes(at: folder)
      if folder == "/" { break }
    }
    guard let free else { return }
    let mebibytes = free >> 20
    if mebibytes < 128 {
      add(
        "disk", .warn, "\(mebibytes) MiB are free where the store is",
        advice: "make room: a commit that finds no room is refused")
    } else {
      add("disk", .ok, "\(mebibytes) MiB are free where the store is")
    }
  }

  // MARK: The machine

  mutating func checkMachine() {
    let path = "/proc/sys/fs/inotify/max_user_instances"
    let text =
      (try? System.contents(of: path, limit: 64)).flatMap { $0 }
      .map { String(decoding: $0, as: UTF8.self) } ?? ""
    if let limit = Int(text.filter(\.isNumber)) {
      if limit == 0 {
        add(
          "follow", .warn,
          "this machine lets nobody watch files; watch looks once a second instead",
          advice: "raise \(path)")
      } else {
        add("follow", .ok, "at most \(limit) processes of a user are woken by changes at once")
      }
    }
    for descriptor in [Int32(0), 1, 2] {
      let name = ["stdin", "stdout", "stderr"][Int(descriptor)]
      if System.isClosedOrDevNull(descriptor) {
        add("streams", .ok, "\(name) goes nowhere")
      } else {
        add(
          "streams", .ok,
          "\(name) is \(System.isTerminal(descriptor) ? "a terminal" : "no terminal")")
      }
    }
  }
}

extension Session {
  fileprivate func tell(_ finding: Finding) {
    let word: StaticString =
      switch finding.status {
      case .ok: "ok"
      case .warn: "warn"
      case .fail: "fail"
      }
    count(word)
    let advice = finding.advice.map { "; \($0)" } ?? ""
    let check = finding.check.description
    let text = TextRow.line([word.description, check, finding.detail + advice])
    output.emit(EventHead("doctor.check"), text: text) { data in
      data.name("check", finding.check)
      data.name("status", word)
      data.string("detail", finding.detail)
      if let advice = finding.advice { data.string("advice", advice) }
    }
    if finding.status == .fail, output.format.isRecords {
      diagnostics.error(finding.detail + advice)
    }
  }
}
