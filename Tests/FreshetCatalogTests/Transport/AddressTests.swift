import Foundation
import Testing

@testable import FreshetCatalog

@Suite("Addresses")
struct AddressTests {
  @Test(
    "C-19 `+ & =` in a query",
    arguments: [
      ("C++", "C%2B%2B"), ("R&D", "R%26D"), ("a=b", "a%3Db"), ("50% off", "50%25%20off"),
      ("c#", "c%23"), ("해리 포터", "%ED%95%B4%EB%A6%AC%20%ED%8F%AC%ED%84%B0"),
      ("🍎", "%F0%9F%8D%8E"), ("\u{1112}\u{1161}\u{11AB}", "%ED%95%9C"),
      ("-._~", "-._~"), ("!*'();:@,/?[]", "%21%2A%27%28%29%3B%3A%40%2C%2F%3F%5B%5D"),
    ])
  func encoding(_ example: (text: String, encoded: String)) {
    #expect(PercentEncoding.encode(example.text) == example.encoded)
    #expect(example.encoded.removingPercentEncoding == example.text)
  }

  @Test("an address is taken apart and put together")
  func parts() {
    let address = WebAddress.of("HTTPS://Example.com:8443/a b/한?x=1&y=%2b#part")
    #expect(address.scheme == .https)
    #expect(address.host == "example.com")
    #expect(address.port == 8443)
    #expect(address.text == "https://example.com:8443/a%20b/%ED%95%9C?x=1&y=%2b")
    #expect(WebAddress.of("http://h:80?q").text == "http://h/?q")
    #expect("\(address)" == "https://example.com:8443/a%20b/%ED%95%9C")
  }

  @Test(
    "what is no web address is refused, and its query is not told",
    arguments: [
      "", "x", "ftp://h/", "file:///etc/passwd", "http://", "http://u:p@h/", "http://h:0/",
      "http://h:65536/", "http://h:x/", "http://[::1", "http://[zz]/", "http://한/", "http://h_h /",
      "http://2130706433/", "http://0x7f.1/", "http://127.1/", "http://1.2.3.256/?key=SECRET",
    ])
  func refused(_ text: String) {
    let error = #expect(throws: CatalogError.self) { try WebAddress(parsing: text) }
    #expect(error?.code == .invalidAddress)
    #expect(error?.message.contains("SECRET") == false)
  }

  @Test("paths and queries are added in order, encoded")
  func adding() {
    let base = WebAddress.of("http://h/base/")
    let address = base.appending(path: "/v3/x").appending(query: [("q", "C++ & R"), ("page", "2")])
    #expect(address.text == "http://h/base/v3/x?q=C%2B%2B%20%26%20R&page=2")
    #expect(address.appending(query: [("z", "")]).text.hasSuffix("&page=2&z="))
  }

  @Test(
    "a redirect's target is found from where it was sent",
    arguments: [
      ("/z?1", "https://h:1/z?1"), ("z", "https://h:1/a/z"), ("../z/./y", "https://h:1/z/y"),
      ("?q", "https://h:1/a/b?q"), ("//o/z", "https://o/z"), ("http://o", "http://o/"),
      ("", "https://h:1/a/b?x"), ("../../../z", "https://h:1/z"),
    ])
  func resolving(_ example: (location: String, target: String)) throws {
    let here = WebAddress.of("https://h:1/a/b?x")
    #expect(try here.resolving(example.location).text == example.target)
  }

  @Test("one text for all spellings of an address")
  func normalized() {
    for spelling in ["HTTP://H:80/%7ea/./b/../c?q=%c3%a9#x", "http://h/~a/c?q=%C3%A9"] {
      #expect(WebAddress.of(spelling).normalizedText == "http://h/~a/c?q=%C3%A9")
    }
  }

  @Test(
    "private networks are known by their numbers and names",
    arguments: [
      "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
      "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "[::1]", "[::]",
      "[fe80::1]", "[fd00::1]", "[ff02::1]", "[::ffff:127.0.0.1]", "[64:ff9b::10.0.0.1]",
      "[2002:7f00:1::]", "[2001:db8::1]", "localhost", "x.localhost", "router", "nas.local",
      "metadata.internal",
    ])
  func privateHost(_ host: String) {
    #expect(WebAddress.of("http://\(host)/").isPrivateByName)
  }

  @Test(
    "servers on the open internet are not private",
    arguments: [
      "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "[2606:4700::1111]", "example.com",
      "search1.kakaocdn.net", "[::ffff:8.8.8.8]",
    ])
  func publicHost(_ host: String) {
    #expect(!WebAddress.of("http://\(host)/").isPrivateByName)
  }

  @Test("names are resolved by the system")
  func resolve() {
    let found = NetworkAddress.resolve("localhost")
    #expect(!found.isEmpty && found.allSatisfy(\.isPrivate))
    #expect(NetworkAddress.resolve("nobody.invalid").isEmpty)
  }

  @Test(
    "Retry-After in seconds and in the three forms of dates",
    arguments: [
      ("120", 120), (" 0", 0), ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
      ("Sunday, 06-Nov-94 08:49:47 GMT", 10), ("Sun Nov  6 08:49:47 1994", 10),
      ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
    ])
  func retryAfter(_ example: (text: String, seconds: Int)) {
    // 1994-11-06 08:49:37 UTC.
    #expect(RetryAfter.parse(example.text, now: 784_111_777) == .seconds(example.seconds))
  }

  @Test("a Retry-After that says nothing is none", arguments: ["", "soon", "-5", "1.5", "Sun, 99"])
  func noRetryAfter(_ text: String) {
    #expect(RetryAfter.parse(text, now: 0) == nil)
  }

  @Test("a server's words are shown as one short line without network numbers")
  func serverText() {
    let shown = Redactor(["abcd"]).redact(
      serverText: "ip mismatched! callerIp=203.0.113.9,\nkey abcd from (2001:db8::1)")
    #expect(!shown.contains("203.0.113.9") && !shown.contains("2001:db8") && !shown.contains("\n"))
    #expect(shown.hasPrefix("ip mismatched!") && shown.contains("key ••• from"))
    #expect(Redactor().redact(serverText: String(repeating: "x", count: 500)).count == 201)
  }
}
