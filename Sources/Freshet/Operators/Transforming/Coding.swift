/// Turns values into data of some format.
///
/// `JSONEncoder` fits with one line in your program:
///
///     extension JSONEncoder: @retroactive ValueEncoder {}
public protocol ValueEncoder<Output>: Sendable {
  /// What comes out: bytes, text, a tree.
  associatedtype Output: Sendable

  /// Encodes one value.
  func encode<Value: Encodable>(_ value: Value) throws -> Output
}

/// Turns data of some format into values.
///
/// `JSONDecoder` fits with one line in your program:
///
///     extension JSONDecoder: @retroactive ValueDecoder {}
public protocol ValueDecoder<Input>: Sendable {
  /// What goes in: bytes, text, a tree.
  associatedtype Input: Sendable

  /// Decodes one value.
  func decode<Value: Decodable>(_ type: Value.Type, from input: Input) throws -> Value
}

extension Flow where Element: Encodable, Failure == Never {
  /// Encodes each value.
  ///
  ///     source   1--2--|
  ///     result   p--q--|     encode(with: encoder)   p="1" q="2"
  ///
  /// What the encoder throws stops the source, then fails the result.
  ///
  /// - Complexity: O(1) per value, besides the encoder.
  public func encode<Encoder: ValueEncoder>(
    with encoder: Encoder
  ) -> some Flow<Encoder.Output, any Error> {
    tryMap { value throws(any Error) in try encoder.encode(value) }
  }
}

extension Flow where Element: Encodable, Failure == any Error {
  /// Encodes each value.
  ///
  ///     source   1--2--|
  ///     result   p--q--|     encode(with: encoder)   p="1" q="2"
  ///
  /// What the encoder throws stops the source, then fails the result.
  ///
  /// - Complexity: O(1) per value, besides the encoder.
  public func encode<Encoder: ValueEncoder>(
    with encoder: Encoder
  ) -> some Flow<Encoder.Output, any Error> {
    tryMap { value throws(any Error) in try encoder.encode(value) }
  }
}

extension Flow where Failure == Never {
  /// Decodes each value.
  ///
  ///     source   p--q--|
  ///     result   1--#        decode(Int.self, with: decoder)   p=1 q="x"
  ///
  /// What the decoder throws stops the source, then fails the result.
  ///
  /// - Complexity: O(1) per value, besides the decoder.
  public func decode<Value: Decodable & Sendable, Decoder: ValueDecoder>(
    _ type: Value.Type, with decoder: Decoder
  ) -> some Flow<Value, any Error> where Decoder.Input == Element {
    tryMap { input throws(any Error) in try decoder.decode(Value.self, from: input) }
  }
}

extension Flow where Failure == any Error {
  /// Decodes each value.
  ///
  ///     source   p--q--|
  ///     result   1--#        decode(Int.self, with: decoder)   p=1 q="x"
  ///
  /// What the decoder throws stops the source, then fails the result.
  ///
  /// - Complexity: O(1) per value, besides the decoder.
  public func decode<Value: Decodable & Sendable, Decoder: ValueDecoder>(
    _ type: Value.Type, with decoder: Decoder
  ) -> some Flow<Value, any Error> where Decoder.Input == Element {
    tryMap { input throws(any Error) in try decoder.decode(Value.self, from: input) }
  }
}
