import { z } from 'zod';
import type { Workspace } from './workspace/workspace-port.ts';

/** An action of the page: a validated body and a workspace method. */
interface PageAction {
  run(workspace: Workspace, body: unknown): Promise<unknown>;
}

function action<T extends z.ZodType>(
  schema: T,
  run: (workspace: Workspace, body: z.output<T>) => Promise<unknown>,
): PageAction {
  return { run: (workspace, body) => run(workspace, schema.parse(body)) };
}

const name = z.string().min(1).max(200);
const text = z.string().max(40_000);
const pressFields = {
  as: name,
  actionId: name,
  blockId: z.string().max(300).optional(),
  option: z.string().max(3_000).optional(),
  value: text.optional(),
};
const values = z.record(z.string(), z.union([text, z.array(text).max(100), z.null()]));
const viewPressFields = z.strictObject({ ...pressFields, values: values.optional() });
const file = z.strictObject({
  name,
  mimetype: name,
  base64: z.base64().max(1_400_000),
});

/** The actions of the page under `/ui/<name>`, each done as one person. */
export const PAGE_ACTIONS: Readonly<Record<string, PageAction>> = {
  say: action(
    z.strictObject({
      as: name,
      channel: name,
      text,
      threadTs: name.optional(),
      files: z.array(file).max(5).optional(),
    }),
    (workspace, { as, channel, text, threadTs, files }) =>
      workspace.say(
        as,
        channel,
        text,
        present({ threadTs, files: files?.length ? files.map(decodeFile) : undefined }),
      ),
  ),
  edit: action(
    z.strictObject({ as: name, channel: name, ts: name, text }),
    (workspace, { as, channel, ts, text }) => workspace.edit(as, channel, ts, text),
  ),
  remove: action(
    z.strictObject({ as: name, channel: name, ts: name }),
    (workspace, { as, channel, ts }) => workspace.remove(as, channel, ts),
  ),
  click: action(
    z.strictObject({ ...pressFields, channel: name, ts: name }),
    (workspace, { as, channel, ts, actionId, ...rest }) =>
      workspace.click(as, { channel, ts, actionId, ...present(rest), isFromScreen: true }),
  ),
  'click-in-view': action(viewPressFields, (workspace, { as, actionId, ...rest }) =>
    workspace.clickInView(as, { actionId, ...present(rest) }),
  ),
  'click-in-home': action(viewPressFields, (workspace, { as, actionId, ...rest }) =>
    workspace.clickInHome(as, { actionId, ...present(rest) }),
  ),
  submit: action(z.strictObject({ as: name, values }), (workspace, { as, values }) =>
    workspace.submit(as, values),
  ),
  close: action(z.strictObject({ as: name }), (workspace, { as }) => workspace.close(as)),
  suggest: action(
    z.strictObject({ as: name, actionId: name, typed: z.string().max(300) }),
    (workspace, { as, actionId, typed }) => workspace.suggest(as, actionId, typed),
  ),
  command: action(
    z.strictObject({
      as: name,
      channel: name,
      command: z.string().regex(/^\/[a-z][\w-]*$/, 'must be a slash and a name'),
      text,
      threadTs: name.optional(),
    }),
    (workspace, { as, channel, command, text, threadTs }) =>
      workspace.command(as, channel, command, text, present({ threadTs })),
  ),
  'open-home': action(z.strictObject({ as: name }), (workspace, { as }) => workspace.openHome(as)),
  'open-messages': action(z.strictObject({ as: name }), (workspace, { as }) =>
    workspace.openMessages(as),
  ),
  'stop-session': action(
    z.strictObject({ as: name, channel: name, threadTs: name }),
    (workspace, { as, channel, threadTs }) => workspace.stopSession(as, channel, threadTs),
  ),
  dm: action(z.strictObject({ as: name }), (workspace, { as }) => workspace.directMessage(as)),
  'set-group': action(
    z.strictObject({ as: name, handle: name, members: z.array(name).max(100) }),
    async (workspace, { as, handle, members }) => {
      const { groups } = workspace.see(as);
      if (!groups.some((group) => group.handle === handle)) {
        throw new Error(`The workspace has no user group @${handle}.`);
      }
      workspace.setUserGroup(handle, members);
    },
  ),
};

function decodeFile(sent: z.output<typeof file>) {
  const { name, mimetype, base64 } = sent;
  return { name, mimetype, content: new Uint8Array(Buffer.from(base64, 'base64')) };
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes undefined values, which optional properties must not hold. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<T>;
}
