/**
 * Pins of tools: a server's first claims about a tool are trusted, later changes only after an
 * admin accepts them.
 */

import type { Person } from '../../../domain/people/person.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { Log } from '../../../domain/ports/log.ts';
import type { Pins } from '../../../domain/ports/store.ts';
import { serverToolName } from '../../../domain/tools/server-tools.ts';
import { type Pin, shortPin, type ToolClaims } from '../../../domain/tools/tool-pin.ts';

/** A server's claims about a tool, with their hash. */
export interface ClaimedTool {
  readonly claims: ToolClaims;
  readonly hash: string;
}

export interface ToolPins {
  /** Reads the stored pins, including those of other processes. */
  read(): Promise<void>;
  /** Returns the pin of a tool. Pins the current claims if the tool is new. */
  getOrCreate(claimed: ClaimedTool): Promise<Pin>;
  of(name: string): Pin | undefined;
  /**
   * Replaces the pin `before` with the current claims. Returns false if the pin has changed
   * meanwhile.
   */
  accept(claimed: ClaimedTool, before: Pin, by: Person): Promise<boolean>;
}

/** Creates the access to the stored pins. */
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
    // If another process was faster, its pin counts.
    if (isWritten) known = new Map([...known, [name, pin]]);
    else await read();
    return isWritten;
  }

  return {
    read,
    of: (name) => known.get(name),
    async getOrCreate(claimed) {
      const name = serverToolName(claimed.claims.server, claimed.claims.tool);
      const found = known.get(name);
      if (found) return found;
      if (await write(claimed, undefined, undefined)) {
        const facts = { tool: name, hash: shortPin(claimed.hash) };
        log.info(facts, 'A tool of an MCP server is new and was pinned as it is now.');
      }
      const pin = known.get(name);
      if (!pin) throw new Error(`The pin of ${name} could neither be written nor read.`);
      return pin;
    },
    accept: (claimed, before, by) => write(claimed, before, by),
  };
}
