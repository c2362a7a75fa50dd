// What keyboards and screen readers need, and the script of the theme leaves out of what it builds.
(() => {
  const content = document.querySelector(".md-content")
  const amend = () => {
    document.querySelector(".md-search")?.setAttribute("aria-label", "Search")
    // A button to copy is no navigation, and a page has as many as it has examples.
    content.querySelectorAll(".md-code__nav").forEach(each => each.setAttribute("role", "none"))
    content.querySelectorAll(".md-typeset__scrollwrap").forEach(each => {
      const scrolls = each.scrollWidth > each.clientWidth
      for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", "Table"]])
        scrolls ? each.setAttribute(name, value) : each.removeAttribute(name)
    })
  }
  amend()
  new MutationObserver(amend).observe(content, {childList: true, subtree: true})
  addEventListener("resize", amend)
})()
