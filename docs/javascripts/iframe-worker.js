// The search of these pages is a worker, which browsers refuse to a page that was opened from a folder. There its script
// runs in a hidden frame instead, which takes and gives the same messages. Nothing is fetched from elsewhere.
(() => {
  "use strict";
  if (location.protocol !== "file:") { return; }

  const load = (inner, address) => new Promise((resolve, reject) => {
    const script = inner.document.createElement("script");
    script.src = address;
    script.onload = resolve;
    script.onerror = reject;
    inner.document.body.append(script);
  });

  window.Worker = class FrameWorker extends EventTarget {
    #frame = document.createElement("iframe");
    #started;

    constructor(address) {
      super();
      this.#frame.hidden = true;
      this.#started = new Promise((resolve) => {
        this.#frame.addEventListener("load", () => resolve(this.#start(address)), { once: true });
      });
      document.body.append(this.#frame);
    }

    // Give the script in the frame what a worker has.
    async #start(address) {
      const inner = this.#frame.contentWindow;
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inner.importScripts = async (...addresses) => {
        for (const one of addresses) { await load(inner, one); }
      };
      await load(inner, address);
      return inner;
    }

    async postMessage(data) {
      const inner = await this.#started;
      inner.dispatchEvent(new inner.MessageEvent("message", { data }));
    }

    terminate() { this.#frame.remove(); }
  };
})();
