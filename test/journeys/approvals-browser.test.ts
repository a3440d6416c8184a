/** Approvals by a team in the playground, in real browsers: a desktop and a phone at the same workspace, by what their pages show. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { whyNoBrowser } from '../playground/page/launch-chromium.ts';
import { type AppProcess, startApp } from '../support/app-process.ts';
import { type PagePerson, sitDown } from '../support/page-person.ts';
import { readFolder } from '../support/read-folder.ts';
import { makeTempDir } from '../support/temp-dir.ts';

/** Nobody waits for hours here. What writes files is left to the admin, in App Home. */
const POLICY = `version: 1
routes:
  sending:
    channel: "#approvals"
    approvers: ["@ops-approvers"]
    remindAfter: 2s
    escalate: { after: 8s, to: lead }
  lead: { channel: "#ops", approvers: ["@admin"], deadline: 3s }
rules:
  - { tools: [list_files, read_file, task], gate: run }
  - { tools: [send_file], gate: ask, route: sending, risk: high }
default: { gate: ask, route: requester }
`;
const HAIKU = 'A card in the thread\nwaits for one press of a thumb\nthen the work goes on\n';

describe('approvals by a team', { skip: whyNoBrowser ?? false }, () => {
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  let app: AppProcess;
  let desktop: PagePerson;
  let phone: PagePerson;

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, POLICY);
    app = await startApp({
      PORT: '0',
      DATA_DIR: join(folder.path, 'data'),
      WORKSPACE_DIR: join(folder.path, 'workspace'),
      POLICY_FILE: policy,
    });
    [desktop, phone] = await Promise.all([
      sitDown(app.url, { width: 1280, height: 900 }),
      sitDown(app.url, { width: 390, height: 844 }),
    ]);
  });
  after(async () => {
    await Promise.all([desktop?.close(), phone?.close()]);
    await app?.stop();
    await folder?.remove();
  });

  const both = (what: (me: PagePerson) => Promise<unknown>) =>
    Promise.all([what(desktop), what(phone)]);
  const look = (name: string) => both((me) => me.look(name));
  const files = () => readFolder(join(folder.path, 'workspace'));
  const main = (me: PagePerson) => me.page.getByRole('main');
  const dialog = (me: PagePerson) => me.page.getByRole('dialog');
  const button = (within: Locator, name: string) =>
    within.getByRole('button', { name, exact: true });

  async function open(me: PagePerson, channel: string): Promise<void> {
    await me.toChannels();
    const channels = me.page.getByRole('navigation', { name: 'Channels' });
    await me.press(channels.getByRole('button', { name: new RegExp(`^${channel}`) }));
  }

  async function openHome(me: PagePerson): Promise<void> {
    await open(me, 'Countersign');
    await me.press(me.page.getByRole('tab', { name: 'Home' }));
  }

  async function openGroups(me: PagePerson): Promise<Locator> {
    await me.press(me.page.getByRole(me === phone ? 'tab' : 'button', { name: 'Developer' }));
    const panel = me.page.getByRole('complementary', { name: 'Developer' });
    await me.press(panel.getByRole('tab', { name: 'Groups' }));
    return panel.getByRole('group', { name: '@ops-approvers' });
  }

  async function closeGroups(me: PagePerson): Promise<void> {
    const { page } = me;
    await me.press(
      me === phone
        ? page.getByRole('tab', { name: 'Chat' })
        : page.getByRole('button', { name: 'Developer' }),
    );
  }

  /** The newest card of a tool in the channel that is open. */
  const card = (me: PagePerson, tool: string): Locator =>
    main(me)
      .getByRole('article')
      .filter({ has: me.page.getByRole('heading', { name: `(${tool})` }) })
      .last();
  const says = (within: Locator, text: string | RegExp) => within.getByText(text).first().waitFor();

  it('an admin sets a route up in App Home', async () => {
    await both(async (me) => {
      await me.actAs('admin');
      await openHome(me);
      await says(main(me), 'No route is set in Slack yet');
      await me.look('01-home-no-route');
    });
    await phone.press(button(main(phone), 'Add a route'));
    const form = dialog(phone);
    await both((me) => dialog(me).getByRole('heading', { name: 'Add a route' }).waitFor());
    await look('02-route-form');
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('files');
    await form.getByRole('checkbox', { name: 'write_file', exact: true }).check();
    await form.getByRole('combobox', { name: 'Channel' }).selectOption('#approvals');
    await form.getByRole('combobox', { name: 'User groups' }).focus();
    await phone.press(form.getByRole('option', { name: '@ops-approvers' }));
    await form.getByRole('textbox', { name: 'Approvals that are needed' }).fill('2');
    await phone.look('03-route-form-filled');
    await phone.press(button(form, 'Save'));
    await both(async (me) => {
      await says(main(me), /^files/);
      await me.look('04-home-with-route');
    });
  });
});
