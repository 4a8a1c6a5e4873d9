import Freshet
import Testing

@testable import FreshetCatalog

@Suite("Pages of links")
struct PageLoaderTests {
  private func answer(
    _ body: String, type: String? = "text/html; charset=utf-8", status: Int = 200
  ) -> ScriptedTransport.Reply {
    .answer(status, type.map { [.init("Content-Type", $0)] } ?? [], Array(body.utf8))
  }

  @Test("a page is found, with what it calls itself")
  func page() throws {
    for (body, title) in [
      ("<html><head><TITLE lang=ko>해리 포터 &amp;\n 돌</Title>", "해리 포터 & 돌"),
      ("<html><body>no title", nil), ("<title></title>", nil), ("<title>open", nil), ("", nil),
    ] as [(String, String?)] {
      let rig = Rig(answer(body))
      let page = try rig.value(of: PageLoader(http: rig.client).page("https://x.test/a?q=1"))
      #expect(page == WebPage(link: "https://x.test/a?q=1", title: title, bytes: body.utf8.count))
      #expect(rig.transport.requests[0].address.text == "https://x.test/a?q=1")
    }
  }

  @Test("what is no page, or not there, is told apart; what is no link is not asked for")
  func refusals() throws {
    for (reply, code) in [
      (answer("", status: 404), "not_found"), (answer("", status: 410), "not_found"),
      (answer("", status: 403), "unexpected_status"), (answer("", status: 503), "server_error"),
      (answer("x", type: "application/pdf"), "wrong_type"),
    ] {
      let rig = Rig(reply)
      let loader = PageLoader(http: rig.client)
      #expect(try rig.failure(of: loader.page("https://x.test/a")).code.name == code)
    }
    let rig = Rig(answer(""))
    let loader = PageLoader(http: rig.client)
    #expect(try rig.failure(of: loader.page("mailto:a@x.test")).code == .invalidAddress)
    #expect(rig.transport.requests.isEmpty)
  }
}
