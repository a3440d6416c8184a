/** What is kept of an output of any length: its beginning and its end. */
export interface BoundedOutput {
  add(chunk: Uint8Array): void;
  /** The text, with a line that says how many bytes are left out when some are, and this about it. */
  text(hint?: string): string;
}

/** Keeps the first and the last bytes of an output, `headBytes` and `tailBytes` of them; memory never grows beyond that. */
export function createBoundedOutput(headBytes: number, tailBytes: number): BoundedOutput {
  const head = Buffer.alloc(headBytes);
  // A ring: the next byte of the tail goes to `tailCount % tailBytes`.
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

/** With `isCut`, half a character at the end is left out. */
function decode(bytes: Uint8Array, isCut = false): string {
  return new TextDecoder().decode(bytes, { stream: isCut });
}

/** Leaves out the rest of a character that began before. */
function fromCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}
