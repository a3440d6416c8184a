/** Damages the stored checkpoints of our graph, without the app. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Database from 'better-sqlite3';
import { createClient } from 'redis';

/** The stored checkpoint of one thread. */
interface Piece {
  readonly text: string;
  replace(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** The stored data of all threads. */
export type ReadPieces = () => Promise<readonly Piece[]>;

/** Opens the checkpoints in the file of a running app. */
export function piecesOfSqlite(dataDir: string): {
  readonly read: ReadPieces;
  close(): Promise<void>;
} {
  const db = new Database(join(dataDir, 'countersign.db'), { timeout: 5_000 });
  const change = db.prepare('UPDATE records SET document = ? WHERE key = ?');
  const remove = db.prepare('DELETE FROM records WHERE key = ?');
  const all = db.prepare<[], { readonly key: string; readonly document: string }>(
    "SELECT key, document FROM records WHERE key LIKE 'checkpoint/%'",
  );
  return {
    read: async () =>
      all.all().map(({ document, key }) => ({
        text: document,
        replace: async (changed) => void change.run(changed, key),
        remove: async () => void remove.run(key),
      })),
    close: async () => void db.close(),
  };
}

/** Opens the checkpoints under a prefix of Redis. */
export async function piecesOfRedis(
  url: string,
  prefix: string,
): Promise<{ readonly read: ReadPieces; close(): Promise<void> }> {
  const client = createClient({ socket: { path: url.slice('unix://'.length) } });
  await client.connect();

  async function pieceOf(key: string): Promise<Piece> {
    const stored = (await client.get(key)) ?? '';
    // The revision is stored before the document.
    const revision = stored.slice(0, stored.indexOf(' ') + 1);
    return {
      text: stored.slice(revision.length),
      replace: async (changed) => void (await client.set(key, `${revision}${changed}`)),
      remove: async () => void (await client.del(key)),
    };
  }

  return {
    read: async () =>
      await Promise.all((await client.keys(`${prefix}:{desk}:r:checkpoint/*`)).map(pieceOf)),
    close: async () => void (await client.disconnect()),
  };
}

export type Damage = (pieces: readonly Piece[]) => Promise<void>;

const changeAll = (change: (text: string) => string): Damage => {
  return async (pieces) => {
    for (const piece of pieces) await piece.replace(change(piece.text));
  };
};

/** Changes the state like another version would: with a correct checksum. */
const changeStates = (change: (state: string) => string): Damage =>
  changeAll((text) => {
    const stored = JSON.parse(text) as { readonly state: string };
    const state = change(stored.state);
    assert.notEqual(state, stored.state, 'Nothing was changed.');
    return JSON.stringify({ ...stored, state, sum: crc32(state).toString(16) });
  });

interface State {
  readonly checkpoint: { readonly channel_values: Record<string, unknown> };
  readonly pendingWrites: readonly unknown[];
}

const changeParts = (change: (state: State) => unknown): Damage =>
  changeStates((text) => JSON.stringify(change(JSON.parse(text) as State)));

/** The ways in which checkpoints are lost or damaged. Without stored data, nothing happens. */
export const DAMAGES = {
  'all of it is lost': async (pieces) => {
    for (const piece of pieces) await piece.remove();
  },
  'the messages are lost': changeParts(({ checkpoint, ...rest }) => {
    const { messages: _, ...others } = checkpoint.channel_values;
    return { ...rest, checkpoint: { ...checkpoint, channel_values: others } };
  }),
  'the writes are lost': changeParts((state) => ({ ...state, pendingWrites: [] })),
  'one of the writes is lost': changeParts(({ pendingWrites, ...rest }) => {
    return { ...rest, pendingWrites: pendingWrites.slice(1) };
  }),
  'a letter of each text is another': changeAll((text) => {
    const letters = [...text.matchAll(/(?<=[a-z])[a-z](?=[a-z])/g)];
    const at = letters[Math.floor(letters.length / 2)]?.index ?? 0;
    return `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`;
  }),
  'a byte of each text is not UTF-8': changeAll((text) => text.replace('"', '\u{fffd}')),
  'each text is truncated': changeAll((text) => text.slice(0, text.length / 2)),
  'each text is empty': changeAll(() => ''),
  'the checkpoints are of a newer format': changeStates((state) =>
    state.replace(/"v":\d+/, '"v":99'),
  ),
  'the questions are of a newer format': changeStates((state) =>
    state.replace(/"v":1,/g, '"v":2,'),
  ),
  'the messages are of another format': changeStates((state) =>
    state.replace(/"role":/g, '"from":'),
  ),
} satisfies Readonly<Record<string, Damage>>;

/** Damages the stored data; `least` tells what a moment must find there. */
export async function damage(read: ReadPieces, how: Damage, least = 1): Promise<void> {
  const pieces = await read();
  assert.ok(pieces.length >= least, 'Nothing is stored that could be damaged.');
  await how(pieces);
}
