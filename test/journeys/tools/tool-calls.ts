/** One tool call from end to end: requested by the model, shown, decided, run, returned. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { WorkspaceMessage } from '../../../src/playground/workspace/workspace-port.ts';
import { allText, type Place } from '../../support/app/scene.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { buttonsOf, type FieldStage, sayCall } from '../field-reports/field-stage.ts';

type Args = Readonly<Record<string, unknown>>;

/** The outcome of a call. */
export interface ToolCall {
  readonly place: Place;
  /** The text of the card while it was pending; empty if nobody was asked. */
  readonly before: string;
  /** The final text of the cards and their details; empty if there are none. */
  readonly after: string;
  /** The tool result that the model got. */
  readonly told: string;
}

export interface ToolCalls {
  /** A call with a card, which the requester approves. */
  approved(tool: string, args: Args): Promise<ToolCall>;
  /** A call whose preconditions change while its card is pending: approved, then shown again and approved again; `before` makes the change. */
  approvedTwice(tool: string, args: Args, change: () => Promise<unknown>): Promise<ToolCall>;
  /** A call for which nobody is asked, whether it runs or is refused. */
  unasked(tool: string, args: Args): Promise<ToolCall>;
  /** A call that the requester ignores; the model learns it with the next message. */
  ignored(tool: string, args: Args): Promise<ToolCall>;
}

/** Makes calls on a stage; after each, the next message of its thread is answered, and every request to the model was in a valid order. */
export function createToolCalls(stage: FieldStage): ToolCalls {
  let made = 0;

  async function begin(tool: string, args: Args): Promise<{ place: Place; words: string }> {
    made += 1;
    const words = `That was journey ${made}.`;
    stage.play(sayCall(tool, args), sayText(words));
    return { place: await stage.ask('requester', `journey ${made}`), words };
  }

  const lastResult = () => stage.toolMessages().at(-1) ?? '';

  async function assertContinues(place: Place): Promise<void> {
    const words = `Journey ${made} goes on.`;
    stage.play(sayText(words));
    await stage.write('requester', place, 'and now?');
    await stage.answer(place, words);
    assert.deepEqual(stage.model.refusals, []);
  }

  const topView = () => stage.workspace.see('requester').views.at(-1)?.view;

  /** Approves on the card, or at the end of the full view if the card does not show everything. */
  async function pressApprove(card: WorkspaceMessage): Promise<void> {
    if (buttonsOf(card).includes('call.approve')) {
      await stage.press('requester', card, 'call.approve');
      return;
    }
    await stage.press('requester', card, 'call.open');
    await stage.view('requester', 'page 1 of 1');
    await stage.workspace.clickInView('requester', { actionId: 'call.approve' });
    while (topView()) await stage.workspace.close('requester');
  }

  /** The text of a settled card and of its full view. */
  async function readCards(place: Place): Promise<string> {
    const said: string[] = [];
    for (const card of stage.cards(place)) {
      await stage.press('requester', card, 'call.open');
      await stage.view('requester', 'version');
      said.push(allText(card), allText({ text: '', blocks: topView()?.blocks ?? [] }));
      await stage.workspace.close('requester');
    }
    return said.join('\n');
  }

  async function end(place: Place, before: string): Promise<ToolCall> {
    await stage.settled();
    const after = await readCards(place);
    return { place, before, after, told: lastResult() };
  }

  async function approve(
    place: Place,
    words: string,
    ...says: readonly string[]
  ): Promise<ToolCall> {
    const card = await stage.card(place, 'Waiting for a decision', ...says);
    await pressApprove(card);
    await stage.answer(place, words);
    const call = await end(place, allText(card));
    await assertContinues(place);
    return call;
  }

  return {
    async approved(tool, args) {
      const { place, words } = await begin(tool, args);
      return await approve(place, words);
    },
    async approvedTwice(tool, args, change) {
      const { place, words } = await begin(tool, args);
      const card = await stage.card(place, 'Waiting for a decision');
      await change();
      await pressApprove(card);
      return await approve(place, words, 'has changed since it was shown. Nothing was run');
    },
    async unasked(tool, args) {
      const { place, words } = await begin(tool, args);
      await stage.answer(place, words);
      const call = await end(place, '');
      await assertContinues(place);
      return call;
    },
    async ignored(tool, args) {
      const { place } = await begin(tool, args);
      const card = await stage.card(place, 'Waiting for a decision');
      await stage.press('requester', card, 'call.ignore');
      await stage.card(place, 'Ignored');
      await assertContinues(place);
      return await end(place, allText(card));
    },
  };
}

/** Starts to watch the memory of the app; the returned function tells by how many bytes it grew at its peak. Linux only. */
export function watchMemory(stage: FieldStage): () => number {
  const pids = pidsWith(`DATA_DIR=${stage.folder}/data\0`, 'environ');
  const peak = () => pids.reduce((sum, pid) => sum + read(pid, 'VmHWM'), 0);
  const before = pids.reduce((sum, pid) => sum + read(pid, 'VmRSS'), 0);
  assert(before > 50e6, `${pids.length} processes with ${before} bytes are not the app.`);
  return () => peak() - before;
}

/** Returns the processes of this machine with the text in their /proc file. */
export function pidsWith(text: string, file: 'environ' | 'cmdline'): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text);
    } catch {
      // It has ended meanwhile, or belongs to somebody else.
      return false;
    }
  });
}

function read(pid: string, field: string): number {
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ??
    [];
  return Number(kilobytes) * 1024;
}
