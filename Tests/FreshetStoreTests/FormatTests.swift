import CFreshet
import Testing

@testable import FreshetStore

@Suite("Format")
struct FormatTests {
  @Test("CRC-32C gives the published values, with and without the instruction")
  func checksumVectors() {
    let vectors: [([UInt8], UInt32)] = [
      ([], 0),
      (Array("123456789".utf8), 0xE306_9283),
      ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
      ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
      (Array(0..<32), 0x46DD_794E),
      (Array((0..<32).reversed()), 0x113F_DB5C),
    ]
    for (bytes, expected) in vectors {
      #expect(freshet_crc32c(0, bytes, bytes.count) == expected)
      #expect(freshet_crc32c_portable(0, bytes, bytes.count) == expected)
    }
  }

  @Test("both ways to compute it agree at every length and alignment, also in pieces")
  func checksumWaysAgree() {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
    for start in 0..<9 {
      for end in start..<bytes.count {
        bytes[start..<end].withUnsafeBytes { piece in
          let whole = freshet_crc32c_portable(0, piece.baseAddress, piece.count)
          #expect(freshet_crc32c(0, piece.baseAddress, piece.count) == whole)
          let half = piece.count / 2
          let first = freshet_crc32c(0, piece.baseAddress, half)
          let rest = UnsafeRawBufferPointer(rebasing: piece[half...])
          #expect(freshet_crc32c(first, rest.baseAddress, rest.count) == whole)
        }
      }
    }
  }

  @Test("long stretches, of which three sums are made side by side, agree too")
  func checksumOfLongStretches() {
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 167 &+ $0 >> 3) }
    for around in [504, 1008, 1115, 3072, 3576, 6144, 9216] {
      for count in (around - 9)...(around + 9) {
        for start in [0, 1, 7] {
          bytes[start..<(start + count)].withUnsafeBytes { piece in
            let whole = freshet_crc32c_portable(5, piece.baseAddress, piece.count)
            #expect(freshet_crc32c(5, piece.baseAddress, piece.count) == whole, "\(count) bytes")
          }
        }
      }
    }
  }

  private func line(
    _ line: LineWriter.Line, revision: Int64 = 7, index: Int = 1, count: Int = 1
  ) -> String {
    var writer = LineWriter()
    _ = writer.append(
      line, revision: revision, durableBefore: 120, index: index, count: count, time: 1_000_002)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("each kind of line has its keys in their order")
  func lines() {
    let id = Array("film-17".utf8)
    #expect(
      line(.init(kind: .put, id: id, body: body(1))).dropFirst(15)
        == #","r":7,"b":120,"o":"put","k":"film-17","p":0,"t":1000002,"v":{"n":1}}"# + "\n")
    #expect(
      line(.init(kind: .put, id: id, replaces: 3, body: body(1)), index: 2, count: 3).dropFirst(15)
        == #","r":7,"b":120,"o":"put","k":"film-17","n":"2/3","p":3,"t":1000002,"v":{"n":1}}"#
        + "\n")
    #expect(
      line(.init(kind: .soft, id: id, replaces: 3)).dropFirst(15)
        == #","r":7,"b":120,"o":"soft","k":"film-17","p":3,"t":1000002}"# + "\n")
    #expect(
      line(.init(kind: .clear)).dropFirst(15)
        == #","r":7,"b":120,"o":"clear","t":1000002}"# + "\n")
    #expect(
      line(.init(kind: .epoch, epoch: 2)).dropFirst(15)
        == #","r":7,"b":120,"o":"epoch","e":2,"t":1000002}"# + "\n")
  }

  @Test("what is written is read back, ids with quotes and backslashes too")
  func roundTrip() throws {
    for name in ["a", #"q"uote"#, #"back\slash\"#, "한국어", "🎬", "e\u{301}", #"\""#] {
      let id = Array(name.utf8)
      let text = line(.init(kind: .put, id: id, replaces: 5, body: body(9)), index: 1, count: 2)
      try Array(text.utf8.dropLast()).withUnsafeBytes { bytes in
        let line = try RecordLine(bytes)
        #expect(line.kind == .put && line.revision == 7 && line.durableBefore == 120)
        #expect(line.replaces == 5 && line.time == 1_000_002 && line.index == 1 && line.count == 2)
        #expect(line.idBytes(in: bytes) == id)
        let hash = ItemHash(storeID: "000102030405060708090a0b0c0d0e0f")
        #expect(line.hash(in: bytes, hash) == hash.of(id))
        #expect([UInt8](bytes[line.body]) == body(9))
        #expect(throws: Never.self) { try JSONValue(parsing: [UInt8](bytes)) }
      }
    }
  }

  @Test("a line with any bit flipped does not check")
  func bitFlips() {
    let bytes = Array(line(.init(kind: .put, id: [0x61], body: body(1))).utf8.dropLast())
    for at in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[at] ^= UInt8(1 << bit)
        #expect(flipped.withUnsafeBytes { try? RecordLine($0) } == nil)
      }
    }
  }

  @Test("a HEAD slot is laid out as documented, and any flipped bit voids it")
  func head() {
    let record = HeadRecord(
      sequence: 3, epoch: 2, segment: 65_537, offset: 4096, revision: 70_000, isPoisoned: true)
    let bytes = record.encoded(storeBits: 0x0102_0304_0506_0708)
    #expect(bytes.count == 64)
    #expect(String(decoding: bytes[0..<8], as: UTF8.self) == "FRESHET1")
    #expect(Array(bytes[8..<18]) == [8, 7, 6, 5, 4, 3, 2, 1, 3, 0])
    #expect(bytes[24] == 2 && bytes[32] == 1 && bytes[34] == 1 && bytes[41] == 16 && bytes[56] == 1)
    func read(_ bytes: [UInt8], _ bits: UInt64 = 0x0102_0304_0506_0708) -> HeadRecord? {
      bytes.withUnsafeBytes { HeadRecord(slot: $0, storeBits: bits) }
    }
    #expect(read(bytes) == record)
    #expect(read(bytes, 5) == nil)
    for at in bytes.indices {
      var flipped = bytes
      flipped[at] ^= 1
      #expect(read(flipped) == nil)
    }
  }

  @Test(
    "bodies that are one JSON object on one line",
    arguments: [
      "{}", #"{"a":1}"#, #"{ "a" : [ 1 , -2.5e+3 , true , null , "x" ] }"#,
      #"{"a":{"b":{"c":[[],{}]}}}"#, #"{"é":"\u00e9\n\"\\\/"}"#, "{\"a\":\"\u{2028}🎬\"}",
      #"{"a":0,"b":-0,"c":1E5}"#, "{\"a\":\t1\r}", #"{"a":1,"a":2}"#,
    ])
  func goodBodies(_ text: String) {
    #expect(BodyCheck.fault(in: Array(text.utf8)) == nil)
  }

  @Test(
    "bodies that are not",
    arguments: [
      "", "1", "[]", "null", "{", "}", "{}}", "{} ", " {}", "{\"a\":1,}", "{a:1}", "{\"a\" 1}",
      "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":tru}", "{\"a\":\"\\x\"}",
      "{\"a\":\"\\u12g4\"}", "{\"a\":\"\u{1}\"}", "{\"a\":\n1}", "{\"a\":[1 2]}", "{\"a\":NaN}",
      "{\"a\":\"}", "{\"a\":1}{\"b\":2}", "{\"a\":[1}", "{,}", "{\"a\":1e}",
    ])
  func badBodies(_ text: String) {
    #expect(BodyCheck.fault(in: Array(text.utf8)) != nil)
  }

  @Test("bodies that are no UTF-8, or nested too deep")
  func badBytes() {
    let lead = Array(#"{"a":""#.utf8)
    let bad: [[UInt8]] = [
      [0x80], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xC3], [0xF0, 0x9F, 0x8E], [0xFF],
    ]
    for bytes in bad {
      #expect(BodyCheck.fault(in: lead + bytes + Array(#""}"#.utf8)) != nil)
    }
  }

  @Test("a value as deep as JSON is read here can be saved inside an object of the caller's")
  func depth() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    let limit = JSONValue.depthLimit
    _ = try JSONValue(parsing: Array(nested(limit).utf8))
    #expect(throws: JSONError.self) { try JSONValue(parsing: Array(nested(limit + 1).utf8)) }
    func fault(_ levels: Int) -> String? {
      BodyCheck.fault(in: Array(#"{"a":\#(nested(levels - 1))}"#.utf8))
    }
    #expect(fault(limit + 2) == nil)
    #expect(fault(520) == nil)
    #expect(fault(521)?.contains("520 levels") == true)
  }

  @Test("the mount table finds the innermost mount, and knows network file systems")
  func mounts() {
    let table = MountTable(
      """
      22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      40 22 0:35 / /home rw shared:2 master:3 - nfs4 server:/home rw
      41 40 0:36 / /home/me/my\\040disk rw - tmpfs tmpfs rw
      """)
    #expect(table.type(at: "/var/lib") == "ext4")
    #expect(table.type(at: "/home/me") == "nfs4")
    #expect(table.type(at: "/homework") == "ext4")
    #expect(table.type(at: "/home/me/my disk/x") == "tmpfs")
    #expect(MountTable.isNetwork("nfs4") && MountTable.isNetwork("cifs"))
    #expect(!MountTable.isNetwork("ext4") && !MountTable.isNetwork("overlay"))
  }
}
