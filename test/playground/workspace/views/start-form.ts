import type { TestContext } from 'node:test';
import type { KnownBlock, ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { type Received, startEndpoint, startWorkspace } from '../start-lab.ts';

/** A plain text object. */
export const plain = (text: string) => ({ type: 'plain_text' as const, text });

/** A modal with one field of two to five characters. */
export function aModal(changes: Partial<ModalView> = {}): ModalView {
  return {
    type: 'modal',
    callback_id: 'form',
    title: plain('Form'),
    submit: plain('Save'),
    blocks: [
      {
        type: 'input',
        block_id: 'name',
        label: plain('Name'),
        element: { type: 'plain_text_input', action_id: 'text', min_length: 2, max_length: 5 },
      },
    ],
    ...changes,
  };
}

/** An input block around an element. */
export function input(blockId: string, element: object, more: object = {}): KnownBlock {
  return {
    type: 'input',
    block_id: blockId,
    label: plain(blockId),
    element,
    ...more,
  } as KnownBlock;
}

function payloadOf(one: Received | undefined) {
  return JSON.parse(new URLSearchParams(one?.body).get('payload') ?? '{}');
}

/** A button in #ops, and an app that answers interactions as the test says. */
export async function startForm(t: TestContext) {
  const { workspace, client, clock } = await startWorkspace(t);
  const answers: unknown[] = [];
  const received = await startEndpoint(workspace, (one) => ({
    status: 200,
    body: one.body.startsWith('payload=') ? answers.shift() : undefined,
  }));
  const blocks = [
    { type: 'actions', elements: [{ type: 'button', action_id: 'go', text: plain('Go') }] },
  ];
  const { ts = '' } = await client.chat.postMessage({
    channel: workspace.channel('ops').id,
    text: 'card',
    blocks: blocks as KnownBlock[],
  });
  const interactions = () =>
    received.filter(({ body }) => body.startsWith('payload=')).map(payloadOf);
  const press = async (name = 'approver'): Promise<string> => {
    await workspace.click(name, { channel: 'ops', ts, actionId: 'go' });
    return interactions().at(-1)?.trigger_id;
  };
  return { workspace, client, clock, answers, interactions, press };
}

/** Slack's error for a call that it refuses; `ok` for one that it accepts. */
export async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    return (error as { data?: { error?: string } }).data?.error ?? String(error);
  }
}

/** Opens a modal as the app does. */
export const open = (client: WebClient, trigger: string, view = aModal()) =>
  client.views.open({ trigger_id: trigger, view });
