// Search on pages that are opened from disk: browsers start no workers there, so that a hidden frame does a worker's work.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const own = new URL(url, location.href);
      const script = (address) =>
        new Promise((done) => {
          const element = frame.contentDocument.createElement("script");
          element.src = new URL(address, own).href;
          element.onload = element.onerror = done;
          frame.contentDocument.body.append(element);
        });
      // What a worker posts comes from its global object; what it receives are events of that object.
      this.inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      this.inside.importScripts = (...addresses) =>
        addresses.reduce((before, address) => before.then(() => script(address)), Promise.resolve());
      this.ready = script(own);
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })));
    }
    terminate() {}
  };
}
