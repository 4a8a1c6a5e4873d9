/// What a full check of a store's files found.
public struct StoreSurvey: Sendable, Hashable {
  /// Something that is not as it should be.
  public struct Finding: Sendable, Hashable {
    /// How bad it is.
    public enum Kind: String, Sendable, Hashable {
      /// Bytes that were durable no longer check, or are gone: opening refuses the store.
      case damage
      /// The end of an append that nobody was told of: the next writer moves it to `lost+…`.
      case unfinished
      /// Something that the next writer puts right by itself, or that does no harm.
      case note
    }

    /// How bad it is.
    public let kind: Kind
    /// The file's name within the store.
    public let file: String
    /// The byte in it.
    public let offset: Int64
    /// The last revision that was read before.
    public let revision: Int64
    /// The first revision that could be read after; nil when there was none.
    public var nextRevision: Int64?
    /// What was found, in words.
    public let message: String

    /// Makes a finding.
    public init(
      kind: Kind, file: String, offset: Int64, revision: Int64, nextRevision: Int64? = nil,
      message: String
    ) {
      self.kind = kind
      self.file = file
      self.offset = offset
      self.revision = revision
      self.nextRevision = nextRevision
      self.message = message
    }
  }

  /// The store's id; nil when STORE is missing or damaged.
  public var storeID: String?
  /// The last revision that was read.
  public var revision: Int64 = 0
  /// The last epoch that was read.
  public var epoch: Int64 = 1
  /// How far HEAD says that the journal is durable; nil when HEAD does not check.
  public var durableRevision: Int64?
  /// The files that were read.
  public var files = 0
  /// The bytes that were read.
  public var bytes: Int64 = 0
  /// The records that check.
  public var records = 0
  /// The commits that are whole.
  public var commits = 0
  /// The bytes of lines that do not check.
  public var badBytes: Int64 = 0
  /// What was found, in the order of the files; at most `findingLimit`.
  public var findings: [Finding] = []
  /// How many more there were.
  public var findingsLeftOut = 0

  /// How many findings are kept.
  public static let findingLimit = 1000

  /// True when there is no damage.
  public var isSound: Bool {
    findingsLeftOut == 0 && !findings.contains { $0.kind == .damage }
  }

  /// Makes an empty survey.
  public init() {}

  mutating func add(_ finding: Finding) {
    if findings.count < StoreSurvey.findingLimit {
      findings.append(finding)
    } else {
      findingsLeftOut += 1
    }
  }
}
