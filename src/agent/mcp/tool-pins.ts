/** Whether a tool is the one that was accepted: the first that a server says of it is, and anything else when an admin says so. */

import type { Person } from '../../domain/people/person.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Pins } from '../../domain/ports/store.ts';
import { serverToolName } from '../../domain/tools/server-tools.ts';
import { type Pin, shortPin, type ToolClaims } from '../../domain/tools/tool-pin.ts';

/** What a server says of a tool, with its hash. */
export interface ClaimedTool {
  readonly claims: ToolClaims;
  readonly hash: string;
}

export interface ToolPins {
  /** Reads what other processes have written. */
  read(): Promise<void>;
  /** The pin of a tool; of one that is seen for the first time, what the server says of it now. */
  meet(claimed: ClaimedTool): Promise<Pin>;
  of(name: string): Pin | undefined;
  /** Puts what the server says now in place of the pin that was seen; false when that is there no more. */
  accept(claimed: ClaimedTool, before: Pin, by: Person): Promise<boolean>;
}

/** Creates the look at the stored pins. */
export function createToolPins(deps: {
  readonly pins: Pins;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info'>;
}): ToolPins {
  const { clock, log, pins } = deps;
  let known: ReadonlyMap<string, Pin> = new Map();

  async function read(): Promise<void> {
    known = new Map((await pins.all()).map((pin) => [pin.name, pin]));
  }

  async function write(
    { claims, hash }: ClaimedTool,
    before: Pin | undefined,
    by: Person | undefined,
  ): Promise<boolean> {
    const name = serverToolName(claims.server, claims.tool);
    const pin: Pin = { name, claims, hash, at: clock.now(), ...(by && { by }) };
    const audit = {
      at: pin.at,
      event: before ? 'tool.accept' : 'tool.pin',
      subject: `tool:${name}`,
      actor: by ? `${by.team}/${by.user}` : 'countersign',
      detail: { server: claims.server, hash, ...(before && { before: before.hash }) },
    };
    const isWritten = await pins.write(pin, before?.hash, { audit: [audit] });
    // Somebody else's is as good: what counts is what is stored.
    if (isWritten) known = new Map([...known, [name, pin]]);
    else await read();
    return isWritten;
  }

  return {
    read,
    of: (name) => known.get(name),
    async meet(claimed) {
      const name = serverToolName(claimed.claims.server, claimed.claims.tool);
      const found = known.get(name);
      if (found) return found;
      if (await write(claimed, undefined, undefined)) {
        const facts = { tool: name, hash: shortPin(claimed.hash) };
        log.info(
          facts,
          'A tool of an MCP server was seen for the first time: it is trusted as it is.',
        );
      }
      const pin = known.get(name);
      if (!pin) throw new Error(`The pin of ${name} was neither written nor there.`);
      return pin;
    },
    accept: (claimed, before, by) => write(claimed, before, by),
  };
}
