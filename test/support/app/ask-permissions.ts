import assert from 'node:assert/strict';
import type { Call } from '../servers/mcp-caller.ts';

/** How a person decides on the card with a text. */
interface Deciding {
  press(part: string, action: string): Promise<unknown>;
  edit(part: string, values: Readonly<Record<string, string>>): Promise<void>;
  reply(part: string, text: string): Promise<void>;
}

/** A permission request of a coding agent becomes a card, and the decision arrives in the format of its protocol. */
export async function askPermissions(
  call: Call,
  mark: string,
  { edit, press, reply }: Deciding,
): Promise<void> {
  const ask = (command: string) =>
    call('permission_prompt', { tool_name: 'Bash', input: { command }, tool_use_id: 'toolu_1' });
  const told: string[] = [];
  const allowed = call(
    'permission_prompt',
    { tool_name: 'Bash', input: { command: `ls ${mark}` } },
    ({ message = '' }) => told.push(message),
  );
  await press(`ls ${mark}`, 'call.approve');
  assert.deepEqual(JSON.parse((await allowed).text), {
    behavior: 'allow',
    updatedInput: { command: `ls ${mark}` },
  });
  assert.match(told[0] ?? '', /^Waiting for people to decide call_/);
  const edited = ask(`rm ${mark}`);
  await edit(`rm ${mark}`, { command: `trash ${mark}` });
  assert.deepEqual(JSON.parse((await edited).text), {
    behavior: 'allow',
    updatedInput: { command: `trash ${mark}` },
  });
  const denied = ask(`dd ${mark}`);
  await reply(`dd ${mark}`, 'Never that.');
  assert.deepEqual(JSON.parse((await denied).text), {
    behavior: 'deny',
    message: 'Never that.',
  });
}
