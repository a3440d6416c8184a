import type { PersistedState } from './workspace/state/persisted-state.ts';
import type { Workspace, WorkspaceMessage } from './workspace/workspace-port.ts';

/** This request is approved and answered. */
const FINISHED = 'Refund €59.90 of order A-10288, it came damaged';
/** This request is left for the user of the page to decide. */
const WAITING = 'Refund €249 of order A-10291, it came damaged';

const PERSON = 'requester';
const CHANNEL = 'general';
const DONE = 'example';
/** Generous for slow machines. Bounded, because a policy may prevent the card from appearing. */
const STEP_TIMEOUT_MS = 20_000;

/**
 * Makes a person request two refunds and approve the first, through the running app. Runs once per
 * workspace. After a crash it resumes without asking anything twice.
 */
export async function createExample(workspace: Workspace, state: PersistedState): Promise<void> {
  if (state.all('done').includes(DONE)) return;
  const finished = await ask(workspace, FINISHED);
  const first = await find(
    workspace,
    finished,
    (message) => isAnswer(message) || isOpenCard(message),
  );
  if (isOpenCard(first)) {
    const { channel, ts } = first;
    await workspace.click(PERSON, { channel, ts, actionId: 'call.approve' });
    await find(workspace, finished, isAnswer);
  }
  const waiting = await ask(workspace, WAITING);
  await find(workspace, waiting, isOpenCard);
  state.keep('done', DONE, DONE);
}

/** Returns the thread of the pending refund, or undefined if there is no example. */
export function findWaitingExample(
  workspace: Workspace,
): { readonly channel: string; readonly thread: string } | undefined {
  const root = findRoot(workspace, WAITING);
  return root && { channel: root.channel, thread: root.ts };
}

/**
 * Posts the request, or redelivers it if a crash came after posting. The app handles each message
 * once.
 */
async function ask(workspace: Workspace, text: string): Promise<WorkspaceMessage> {
  const message = findRoot(workspace, text);
  if (message === undefined) return await workspace.say(PERSON, CHANNEL, `$${'{bot}'} ${text}`);
  await workspace.repeat(message.channel, message.ts);
  return message;
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
  matches: (message: WorkspaceMessage) => boolean,
): Promise<WorkspaceMessage> {
  const findMessage = () =>
    workspace
      .see(PERSON)
      .messages.find(
        (message) =>
          message.channel === root.channel && message.threadTs === root.ts && matches(message),
      );
  const describe = () => `no reply followed “${root.text}”`;
  return await workspace.waitFor(findMessage, { timeoutMs: STEP_TIMEOUT_MS, describe });
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
