import type { PersistedState } from './workspace/state/persisted-state.ts';
import type { Workspace, WorkspaceMessage } from './workspace/workspace-port.ts';

/** Asked, approved and answered. */
const FINISHED = 'Refund €59.90 of order A-10288, it came damaged';
/** Asks, and leaves the decision to the person who opens the page. */
const WAITING = 'Refund €249 of order A-10291, it came damaged';

const PERSON = 'requester';
const CHANNEL = 'general';
const DONE = 'example';
/** A slow machine takes its time; a rule that keeps the card from coming would otherwise hold the start for ever. */
const STEP_TIMEOUT_MS = 20_000;

/**
 * Has a person ask for two refunds, and approve the first, all through the app as it is. Done once
 * for a workspace: what a crash cut off is gone on with, and nothing is asked a second time.
 */
export async function createExample(workspace: Workspace, kept: PersistedState): Promise<void> {
  if (kept.all('done').includes(DONE)) return;
  const finished = await ask(workspace, FINISHED);
  const first = await find(workspace, finished, (said) => isAnswer(said) || isOpenCard(said));
  if (isOpenCard(first)) {
    const { channel, ts } = first;
    await workspace.click(PERSON, { channel, ts, actionId: 'call.approve' });
    await find(workspace, finished, isAnswer);
  }
  const waiting = await ask(workspace, WAITING);
  await find(workspace, waiting, isOpenCard);
  kept.keep('done', DONE, DONE);
}

/** Where the refund is that waits; undefined where there is no example. */
export function findWaitingExample(
  workspace: Workspace,
): { readonly channel: string; readonly thread: string } | undefined {
  const root = findRoot(workspace, WAITING);
  return root && { channel: root.channel, thread: root.ts };
}

/** Asks, or has the app hear once more what was asked before a crash: it takes each message up once. */
async function ask(workspace: Workspace, text: string): Promise<WorkspaceMessage> {
  const said = findRoot(workspace, text);
  if (said === undefined) return await workspace.say(PERSON, CHANNEL, `$${'{bot}'} ${text}`);
  await workspace.repeat(said.channel, said.ts);
  return said;
}

function findRoot(workspace: Workspace, text: string): WorkspaceMessage | undefined {
  const { me, messages } = workspace.see(PERSON);
  return messages.find(
    (message) =>
      message.user === me.id && message.threadTs === undefined && message.text.endsWith(text),
  );
}

async function find(
  workspace: Workspace,
  root: WorkspaceMessage,
  isWanted: (message: WorkspaceMessage) => boolean,
): Promise<WorkspaceMessage> {
  const look = () =>
    workspace
      .see(PERSON)
      .messages.find(
        (message) =>
          message.channel === root.channel && message.threadTs === root.ts && isWanted(message),
      );
  const describe = () => `what follows “${root.text}” did not come`;
  return await workspace.waitFor(look, { timeoutMs: STEP_TIMEOUT_MS, describe });
}

function isAnswer({ blocks, streaming }: WorkspaceMessage): boolean {
  return !streaming && JSON.stringify(blocks).includes('The order is refunded.');
}

function isOpenCard({ blocks }: WorkspaceMessage): boolean {
  return blocks.some(
    (block) =>
      block.type === 'actions' &&
      block.elements.some((element) => element.action_id === 'call.approve'),
  );
}
