// A page that was opened as a file may start no worker in some browsers, and the
// search wants one. Here it runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => {
        this.dispatchEvent(new MessageEvent("message", { data }));
        if (this.onmessage) this.onmessage({ data });
      };
      this.inner.importScripts = (...urls) =>
        urls.reduce((last, one) => last.then(() => this.load(one)), Promise.resolve());
      // The index, a script beside the pages, stands here already.
      this.inner.__index = window.__index;
      this.ready = this.load(url);
    }
    load(url) {
      return new Promise((done, failed) => {
        const script = this.inner.document.createElement("script");
        script.src = new URL(url, location.href).href;
        script.onload = done;
        script.onerror = failed;
        this.inner.document.body.append(script);
      });
    }
    postMessage(data) {
      this.ready.then(() =>
        this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }
    terminate() {
      this.inner.frameElement.remove();
    }
  };
}
