/** The beginning and end of an output of any length. */
export interface BoundedOutput {
  add(chunk: Uint8Array): void;
  /** Returns the text. If bytes were dropped, a line in the gap gives their number and `hint`. */
  text(hint?: string): string;
}

/** Keeps the first `headBytes` and last `tailBytes` of an output. Memory is limited to that. */
export function createBoundedOutput(headBytes: number, tailBytes: number): BoundedOutput {
  const head = Buffer.alloc(headBytes);
  // A ring buffer: the next byte goes to `tailCount % tailBytes`.
  const tail = Buffer.alloc(tailBytes);
  let headCount = 0;
  let tailCount = 0;

  function addToTail(chunk: Uint8Array): void {
    const last = chunk.subarray(Math.max(0, chunk.length - tailBytes));
    const at = (tailCount + chunk.length - last.length) % tailBytes;
    const first = last.subarray(0, tailBytes - at);
    tail.set(first, at);
    tail.set(last.subarray(first.length), 0);
    tailCount += chunk.length;
  }

  return {
    add(chunk) {
      const toHead = chunk.subarray(0, headBytes - headCount);
      head.set(toHead, headCount);
      headCount += toHead.length;
      if (toHead.length < chunk.length) addToTail(chunk.subarray(toHead.length));
    },
    text(hint = '') {
      const first = head.subarray(0, headCount);
      const at = tailCount % tailBytes;
      if (tailCount <= tailBytes) {
        return decode(Buffer.concat([first, tail.subarray(0, tailCount)]));
      }
      const end = Buffer.concat([tail.subarray(at), tail.subarray(0, at)]);
      const left = tailCount - tailBytes;
      return `${decode(first, true)}\n[… ${left} bytes left out${hint} …]\n${decode(fromCharacter(end))}`;
    },
  };
}

/** With `isCut`, drops an incomplete character at the end. */
function decode(bytes: Uint8Array, isCut = false): string {
  return new TextDecoder().decode(bytes, { stream: isCut });
}

/** Drops an incomplete character at the beginning. */
function fromCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}
