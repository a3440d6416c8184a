/** The stage of the field reports: the app with their tools, and what can be observed from outside. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import type { JournalEntry } from '../../../src/playground/workspace/workspace-port.ts';
import { type Delivery, type Stage, setStage } from '../../support/app/stage.ts';
import { type MockAnswer, type MockCall, sayCalls } from '../../support/servers/mock-model.ts';
import { addRecordViews } from '../../support/store/record-views.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const TOOLS = fileURLToPath(new URL('../../fixtures/tools/field-tools.ts', import.meta.url));

/** One run of a tool, as the tool logged it. */
export interface ToolRun {
  readonly tool: string;
  readonly args: unknown;
}

export interface FieldStage extends Stage {
  /** Sets the next answers of the model, which must not be asked more often. */
  play(...answers: readonly MockAnswer[]): void;
  /** The number of requests to the model. */
  asked(): number;
  /** The tool messages of the last request to the model, in order. */
  toolMessages(): readonly string[];
  /** Every run of a tool since the stage was set up. */
  runs(): Promise<readonly ToolRun[]>;
  /** Where the tools log their runs. */
  readonly runJournal: string;
  /** Releases the `hold` tool that was called with this note. */
  release(note: string): Promise<void>;
  /** Reads or writes the database of the app directly. */
  sql<Row>(statement: string, ...values: readonly unknown[]): readonly Row[];
  /** Audit entries of an event, oldest first. */
  audit(event: string): readonly { readonly actor: string; readonly detail: string }[];
  /** The requests of the app to one method of the Slack API, oldest first. */
  apiCalls(method: string): readonly JournalEntry[];
  /** Waits until no work is under way, and none will be due within this time. */
  settled(withinMs?: number): Promise<void>;
}

/** Sets up a stage; the caller closes it. */
export async function setFieldStage(
  delivery: Delivery,
  env: Readonly<Record<string, string>> = {},
  entry?: string,
  seed?: Parameters<typeof setStage>[3],
): Promise<FieldStage> {
  const { path, remove } = await makeTempDir();
  const journal = join(path, 'runs');
  const settings = { TOOLS_MODULE: TOOLS, RUN_JOURNAL: journal, ...env };
  const stage = await setStage(delivery, settings, entry, seed);
  const apiCalls = (method: string) =>
    stage.workspace.journal.filter(({ kind, name }) => kind === 'api' && name === method);

  function sql<Row>(statement: string, ...values: readonly unknown[]): readonly Row[] {
    const database = new Database(join(stage.folder, 'data', 'countersign.db'));
    addRecordViews(database);
    try {
      const prepared = database.prepare<unknown[], Row>(statement);
      if (prepared.reader) return prepared.all(...values);
      assert.equal(prepared.run(...values).changes, 1);
      return [];
    } finally {
      database.close();
    }
  }

  return {
    ...stage,
    play(...answers) {
      stage.model.script((_request, index) => {
        const answer = answers[index];
        if (!answer) throw new Error(`The model was asked ${index + 1} times.`);
        return answer;
      });
    },
    asked: () => stage.model.requests.length,
    toolMessages() {
      const { messages } = stage.model.requests.at(-1) ?? { messages: [] };
      return messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
    },
    async runs() {
      const text = await readFile(journal, 'utf8').catch(() => '');
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line): ToolRun => JSON.parse(line));
    },
    runJournal: journal,
    release: (note) => writeFile(`${journal}.${note}`, ''),
    sql,
    audit: (event) => sql('SELECT actor, detail FROM audit WHERE event = ? ORDER BY seq', event),
    apiCalls,
    async settled(withinMs = 0) {
      for (let looks = 0; looks < 1_500; looks += 1) {
        const [busy] = sql<{ n: number }>(
          'SELECT count(*) AS n FROM agenda WHERE taken = 1 OR due <= ?',
          Date.now() + withinMs,
        );
        const open = stage.workspace.journal.some(({ answer, ok }) => (answer ?? ok) === undefined);
        if (busy?.n === 0 && !open) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`The app does not come to rest:\n${stage.app().output().slice(-4_000)}`);
    },
    async close() {
      await stage.close();
      await remove();
    },
  };
}

/** A tool call as the model sends it. */
export function call(name: string, args: Readonly<Record<string, unknown>>, id?: string): MockCall {
  return { name, args: JSON.stringify(args), ...(id !== undefined && { id }) };
}

/** A model answer with one call. */
export function sayCall(name: string, args: Readonly<Record<string, unknown>>): MockAnswer {
  return sayCalls([call(name, args)]);
}

/** The action ids of the buttons of a message. */
export function buttonsOf(message: { readonly blocks: readonly unknown[] }): readonly string[] {
  return [...JSON.stringify(message.blocks).matchAll(/"action_id":"([^"]+)"/g)].map(
    ([, id = '']) => id,
  );
}
