// Browsers start no worker from a file, so that the search of the site would not work there: this worker runs in a frame.
if (location.protocol === "file:") {
  const frameOf = (url) => `<script>
    self.postMessage = (data) => parent.postMessage(data, "*");
    self.importScripts = (...urls) => urls.reduce((before, each) => before.then(() => new Promise((done, failed) => {
      document.body.append(Object.assign(document.createElement("script"), { src: each, onload: done, onerror: failed }));
    })), Promise.resolve());
  <\/script><script src="${url}"><\/script>`;

  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = Object.assign(document.createElement("iframe"), { hidden: true });
      window.addEventListener("message", (event) => {
        if (event.source !== this.frame.contentWindow) return;
        const copy = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(copy);
        this.onmessage?.(copy);
      });
      const begin = () => {
        document.body.append(this.frame);
        const inner = this.frame.contentDocument;
        inner.open(); // which forgets the listeners of before
        this.frame.contentWindow.addEventListener("load", () => {
          for (const data of this.waiting.splice(0)) this.send(data);
          this.ready = true;
        });
        inner.write(`<!doctype html><body>${frameOf(new URL(url, document.baseURI))}</body>`);
        inner.close();
      };
      if (document.body) begin();
      else document.addEventListener("DOMContentLoaded", begin);
    }

    send(data) {
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data, source: window }));
    }

    postMessage(data) {
      if (this.ready) this.send(data);
      else this.waiting.push(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
