/** Damages what is stored of the graphs' checkpoints, behind the back of the app. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Database from 'better-sqlite3';
import { createClient } from 'redis';

/** One stored text: a checkpoint, a value that checkpoints share (on Redis), or a write of a task. */
interface Piece {
  readonly kind: 'checkpoint' | 'value' | 'write';
  readonly text: string;
  replace(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** What is stored of all threads; the newest checkpoint is the first of its kind. */
export type ReadPieces = () => Promise<readonly Piece[]>;

/** Opens the checkpoints in the file of a running app. */
export function piecesOfSqlite(dataDir: string): {
  readonly read: ReadPieces;
  close(): Promise<void>;
} {
  const db = new Database(join(dataDir, 'countersign.db'), { timeout: 5_000 });
  const piece = (table: string, column: string, kind: Piece['kind']) => {
    const rows = db
      .prepare(`SELECT rowid AS row, CAST(${column} AS TEXT) AS text FROM ${table}
        ORDER BY checkpoint_id DESC, rowid`)
      .all() as { readonly row: number; readonly text: string }[];
    return rows.map(({ row, text }): Piece => {
      const change = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
      return {
        kind,
        text,
        replace: async (changed) => void change.run(Buffer.from(changed), row),
        remove: async () => void db.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(row),
      };
    });
  };
  return {
    read: async () => [
      ...piece('checkpoints', 'checkpoint', 'checkpoint'),
      ...piece('writes', 'value', 'write'),
    ],
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

  async function ofHash(key: string, kind: Piece['kind']): Promise<readonly Piece[]> {
    const fields = Object.entries(await client.hGetAll(key)).filter(
      ([id]) => !id.endsWith('|refs'),
    );
    const newestFirst = fields.toSorted(([a], [b]) => (a < b ? 1 : -1));
    return newestFirst.map(([field, text]) => ({
      kind,
      text,
      replace: async (changed) => void (await client.hSet(key, field, changed)),
      async remove() {
        await client.hDel(key, field);
        if (kind === 'checkpoint') await client.zRem(key.replace(/docs$/, 'ids'), field);
      },
    }));
  }

  return {
    async read() {
      const keys = await client.keys(`${prefix}:{thread:*`);
      const found = (pattern: RegExp, kind: Piece['kind']) =>
        keys.filter((key) => pattern.test(key)).map((key) => ofHash(key, kind));
      const all = [
        ...found(/:docs$/, 'checkpoint'),
        ...found(/:blobs$/, 'value'),
        ...found(/:writes:/, 'write'),
      ];
      return (await Promise.all(all)).flat();
    },
    close: async () => void (await client.disconnect()),
  };
}

export type Damage = (pieces: readonly Piece[]) => Promise<void>;

const ofKind = (pieces: readonly Piece[], ...kinds: readonly Piece['kind'][]) =>
  pieces.filter(({ kind }) => kinds.includes(kind));

const removeAll = async (pieces: readonly Piece[]) => {
  for (const piece of pieces) await piece.remove();
};

const changeAll = (change: (text: string) => string): Damage => {
  return async (pieces) => {
    for (const piece of pieces) await piece.replace(change(piece.text));
  };
};

/** The ways in which checkpoints are lost or damaged. Where nothing of the kind is stored, nothing happens. */
export const DAMAGES = {
  'all of it is lost': removeAll,
  'the newest checkpoint is lost': (pieces) => removeAll(ofKind(pieces, 'checkpoint').slice(0, 1)),
  'the newest value is lost': async (pieces) => {
    const values = ofKind(pieces, 'value').filter(({ text }) => text.includes('"role"'));
    const longest = values.toSorted((a, b) => b.text.length - a.text.length)[0];
    await removeAll(longest ? [longest] : []);
  },
  'the writes are lost': (pieces) => removeAll(ofKind(pieces, 'write')),
  'one of the writes is lost': (pieces) => removeAll(ofKind(pieces, 'write').slice(0, 1)),
  'a letter of each text is another': changeAll((text) => {
    const letters = [...text.matchAll(/(?<=[a-z])[a-z](?=[a-z])/g)];
    const at = letters[Math.floor(letters.length / 2)]?.index ?? 0;
    return `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`;
  }),
  'a byte of each text is not UTF-8': changeAll((text) => text.replace('"', '\u{fffd}')),
  'each text is truncated': changeAll((text) => text.slice(0, text.length / 2)),
  'each text is empty': changeAll(() => ''),
  'the checkpoints are of a newer format': (pieces) =>
    changeAll((text) => recheck(text, (json) => json.replace(/(\\*)"v\1":\d+/, '$1"v$1":99')))(
      ofKind(pieces, 'checkpoint'),
    ),
  'the questions are of a newer format': (pieces) =>
    changeAll((text) => recheck(text, (json) => json.replace(/(\\*)"v\1":1,/g, '$1"v$1":2,')))(
      ofKind(pieces, 'write'),
    ),
  'the messages are of another format': (pieces) =>
    changeAll((text) => recheck(text, (json) => json.replace(/(\\*)"role\1":/g, '$1"from$1":')))(
      ofKind(pieces, 'checkpoint', 'value'),
    ),
} satisfies Readonly<Record<string, Damage>>;

/** Changes stored JSON as another version would have written it: with a checksum that is right. */
function recheck(text: string, change: (json: string) => string): string {
  // On Redis a text stands within a list, or behind one letter.
  if (text.startsWith('["')) {
    const parts = JSON.parse(text) as unknown[];
    return JSON.stringify(
      parts.map((part) => (typeof part === 'string' ? recheck(part, change) : part)),
    );
  }
  const begin = /^[jb](?=[{["])/.exec(text)?.[0] ?? '';
  const [, json = '', mark] = /^(.*?)(\n#[0-9a-f]{8})?$/s.exec(text.slice(begin.length)) ?? [];
  const changed = change(json);
  const sum = crc32(changed).toString(16).padStart(8, '0');
  return `${begin}${changed}${mark === undefined ? '' : `\n#${sum}`}`;
}

/** Damages what is stored; fails where there is nothing to damage. */
export async function damage(read: ReadPieces, how: Damage): Promise<void> {
  const pieces = await read();
  assert.ok(pieces.length > 0, 'Nothing is stored that could be damaged.');
  await how(pieces);
}
