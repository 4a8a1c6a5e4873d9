/// The members of a JSON object, in the order they were read or first set.
///
/// Keys are compared by their bytes. A key read twice keeps its first place and its last value, as
/// the common parsers do. Look-up is O(1) on average, appending amortised O(1), removal O(n).
public struct JSONObject: Sendable {
  /// One member.
  public struct Member: Sendable, Hashable {
    /// The key, escapes undone.
    public let key: String
    /// The value.
    public var value: JSONValue

    /// Keys by their bytes, values by `JSONValue`'s rule.
    public static func == (left: Member, right: Member) -> Bool {
      JSONKey(left.key) == JSONKey(right.key) && left.value == right.value
    }

    /// Feeds what `==` compares.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(JSONKey(key))
      hasher.combine(value)
    }
  }

  /// The members in order.
  public private(set) var members: [Member] = []
  /// Where each key is; built once there are too many keys for a walk.
  private var places: [JSONKey: Int] = [:]
  private static let walkLimit = 12

  /// An object without members.
  public init() {}

  /// The number of members.
  public var count: Int { members.count }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The keys in order.
  public var keys: [String] { members.map(\.key) }

  /// The value of `key`, nil when absent; setting nil removes the member.
  public subscript(key: String) -> JSONValue? {
    get { place(of: key).map { members[$0].value } }
    set {
      guard let value = newValue else {
        removeValue(forKey: key)
        return
      }
      if let place = place(of: key) {
        members[place].value = value
      } else {
        append(key, value)
      }
    }
  }

  /// Takes a member out and returns its value, nil when there was none.
  @discardableResult
  public mutating func removeValue(forKey key: String) -> JSONValue? {
    guard let place = place(of: key) else { return nil }
    let value = members.remove(at: place).value
    rebuildPlaces()
    return value
  }

  private mutating func append(_ key: String, _ value: JSONValue) {
    members.append(Member(key: key, value: value))
    if members.count > Self.walkLimit {
      if places.isEmpty {
        rebuildPlaces()
      } else {
        places[JSONKey(key)] = members.count - 1
      }
    }
  }

  private func place(of key: String) -> Int? {
    let wanted = JSONKey(key)
    return places.isEmpty
      ? members.firstIndex { JSONKey($0.key) == wanted }
      : places[wanted]
  }

  private mutating func rebuildPlaces() {
    places.removeAll()
    guard members.count > Self.walkLimit else { return }
    for (place, member) in members.enumerated() { places[JSONKey(member.key)] = place }
  }
}

extension JSONObject: Hashable {
  /// Same members in the same order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members == right.members
  }

  /// Feeds what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(members)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object with these members; a repeated key keeps its first place and its last value.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}
