import Freshet

/// How a type's values become bodies and back.
public struct ItemCodec<Item: Sendable>: Sendable {
  /// The item's id, without the collection's prefix.
  public let id: @Sendable (Item) -> String
  /// The body: one JSON object on one line.
  public let encode: @Sendable (Item) throws -> [UInt8]
  /// The item of a body.
  public let decode: @Sendable ([UInt8]) throws -> Item

  /// Makes a codec from its functions, which may be called from any thread.
  public init(
    id: @escaping @Sendable (Item) -> String, encode: @escaping @Sendable (Item) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Item
  ) {
    self.id = id
    self.encode = encode
    self.decode = decode
  }
}

/// A row whose body is no value of the collection's type.
public struct RowFault: Error, Sendable, CustomStringConvertible {
  /// The item's id in the store.
  public let id: String
  /// The commit that wrote it.
  public let revision: Int64
  /// What the decoder said.
  public let cause: any Error

  /// Makes a fault.
  public init(id: String, revision: Int64, cause: any Error) {
    self.id = id
    self.revision = revision
    self.cause = cause
  }

  /// The id, the revision and the cause.
  public var description: String { "\(id) at revision \(revision) does not decode: \(cause)" }
}

/// Why a typed operation did not succeed.
public enum TypedStoreError: Error, Sendable {
  /// The store's reason.
  case store(StoreError)
  /// The item could not be encoded; nothing was written.
  case encoding(id: String, any Error)
  /// The item is there, and its body does not decode.
  case decoding(RowFault)
}

/// One row, decoded when it is asked for.
public struct TypedRow<Item: Sendable>: Sendable {
  /// The row as the store keeps it.
  public let record: Record
  private let codec: ItemCodec<Item>

  init(_ record: Record, _ codec: ItemCodec<Item>) {
    self.record = record
    self.codec = codec
  }

  /// Decodes the body.
  ///
  /// - Throws: What does not decode, and why. Other rows are none the worse for it.
  public func item() throws(RowFault) -> Item {
    do {
      return try codec.decode(record.body)
    } catch {
      throw RowFault(id: record.id, revision: record.revision, cause: error)
    }
  }
}

/// Rows of one commit; nothing is decoded before it is asked for.
public struct TypedRows<Item: Sendable>: Sendable {
  /// The commit they are of.
  public let token: Token
  /// The rows in the query's order.
  public let rows: [TypedRow<Item>]

  init(_ token: Token, _ records: [Record], _ codec: ItemCodec<Item>) {
    self.token = token
    rows = records.map { TypedRow($0, codec) }
  }

  /// Decodes all rows: those that decode, in order, and what is wrong with the others.
  ///
  /// - Complexity: One call of the decoder per row.
  public func decoded() -> (items: [Item], faults: [RowFault]) {
    var items: [Item] = []
    var faults: [RowFault] = []
    items.reserveCapacity(rows.count)
    for row in rows {
      do throws(RowFault) { items.append(try row.item()) } catch { faults.append(error) }
    }
    return (items, faults)
  }
}

/// The items of one type in a store: those whose ids begin with a prefix.
///
///     let films = TypedStore(store, prefix: "film:", codec: .json(id: \.id))
///     _ = try await films.save(film).value()
///     for row in try await films.page(limit: 50).value().rows { print(try row.item().title) }
///
/// Values are encoded before anything is locked and decoded when a row is asked for its item, never
/// to open, list or follow. A row that does not decode ends nothing: it is a `RowFault` of its own.
public struct TypedStore<Item: Sendable, Store: ContentStore>: Sendable {
  /// The store underneath.
  public let store: Store
  /// What all ids of the collection begin with.
  public let prefix: String
  private let codec: ItemCodec<Item>

  /// Makes a view of a store; nothing is read.
  public init(_ store: Store, prefix: String, codec: ItemCodec<Item>) {
    self.store = store
    self.prefix = prefix
    self.codec = codec
  }

  /// Encodes an item and saves it, only when what is there is as expected.
  ///
  /// Answers and fails as `ContentStore.apply`, and with `encoding`.
  public func save(
    _ item: Item, if expectation: Expectation? = nil
  ) -> Single<Outcome, TypedStoreError> {
    let id = prefix + codec.id(item)
    return Single { [store, codec] resolver in
      let body: [UInt8]
      do {
        body = try codec.encode(item)
      } catch {
        resolver.fail(.encoding(id: id, error))
        return nil
      }
      return Self.forward(store.save(id: id, body: body, if: expectation), to: resolver) {
        .success($0)
      }
    }
  }

  /// Deletes an item by its id in the collection, only when it is as expected.
  public func delete(
    id: String, if expectation: Expectation? = nil
  ) -> Single<Outcome, TypedStoreError> {
    let single = store.delete(id: prefix + id, if: expectation)
    return Single { resolver in Self.forward(single, to: resolver) { .success($0) } }
  }

  /// One live item, or nil; `decoding` when its body does not decode.
  public func fetch(id: String) -> Single<Item?, TypedStoreError> {
    let single = store.fetch(id: prefix + id, includingDeleted: false)
    return Single { [codec] resolver in
      Self.forward(single, to: resolver) { record in
        guard let record else { return .success(nil) }
        do throws(RowFault) {
          return .success(try TypedRow(record, codec).item())
        } catch {
          return .failure(.decoding(error))
        }
      }
    }
  }

  /// Some of the collection's rows, undecoded; see `ContentStore.page`.
  public func page(
    ordered order: Order = .insertion, after key: PageKey? = nil, limit: Int, at token: Token? = nil
  ) -> Single<(rows: TypedRows<Item>, next: PageKey?), TypedStoreError> {
    let query = Query.ids(startingWith: prefix).ordered(by: order)
    let single = store.page(query, after: key, limit: limit, at: token)
    return Single { [codec] resolver in
      Self.forward(single, to: resolver) { page in
        .success((TypedRows(page.token, page.records, codec), page.next))
      }
    }
  }

  private static func forward<Value, Result>(
    _ single: Single<Value, StoreError>,
    to resolver: Single<Result, TypedStoreError>.Resolver,
    _ answer: @escaping @Sendable (Value) -> Swift.Result<Result, TypedStoreError>
  ) -> Disposable {
    single.subscribe(
      onValue: { value in
        switch answer(value) {
        case .success(let result): resolver.succeed(result)
        case .failure(let error): resolver.fail(error)
        }
      },
      onEnd: { end in
        if case .failed(let error) = end { resolver.fail(.store(error)) }
      })
  }
}

extension TypedStore where Store == DatabaseManager {
  /// The collection as a live list: the state, then one element per commit that touches it.
  ///
  /// Rows are decoded when they are asked for. Pace, end and failures as
  /// `DatabaseManager.observe(_:from:)`.
  public func observe(
    ordered order: Order = .insertion, from start: StartPosition = .snapshot
  ) -> some Flow<TypedList<Item>, StoreError> {
    let codec = codec
    return store.observe(Query.ids(startingWith: prefix).ordered(by: order), from: start)
      .map { TypedList($0, codec) }
  }
}

/// A typed collection as of one commit, and how it came from the one before.
public struct TypedList<Item: Sendable>: Sendable {
  /// The list underneath, with its diff and changes.
  public let list: LiveList
  private let codec: ItemCodec<Item>

  init(_ list: LiveList, _ codec: ItemCodec<Item>) {
    self.list = list
    self.codec = codec
  }

  /// How many rows there are.
  public var count: Int { list.rows.count }

  /// One row, undecoded.
  public subscript(_ index: Int) -> TypedRow<Item> { TypedRow(list.rows[index], codec) }

  /// All rows, undecoded.
  public var rows: TypedRows<Item> { TypedRows(list.token, list.records, codec) }
}
