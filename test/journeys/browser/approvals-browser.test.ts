/** Approvals by a team in the playground, in real browsers: a desktop and a phone in one workspace. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import { whyNoBrowser } from '../../playground/page/browser-tests.ts';
import { type AppProcess, startApp } from '../../support/app/app-process.ts';
import { DESKTOP, type PagePerson, PHONE, sitDown } from '../../support/app/page-person.ts';
import { readFolder } from '../../support/read-folder.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';

/** Short times, so that no test waits for hours. Only the admin writes files, in App Home. */
const POLICY = `version: 1
routes:
  texts:
    channel: "#approvals"
    approvers: ["@ops-approvers"]
    remindAfter: 2s
    escalate: { after: 8s, to: lead }
  lead: { channel: "#ops", approvers: ["@admin"], deadline: 3s }
rules:
  - { tools: [list_files, read_file, task], gate: run }
  - { tools: [edit_file], gate: ask, route: texts, risk: high }
default: { gate: ask, route: requester }
`;
const GREETING = 'Hello, team!\n\nThe next release is on Thursday.\n';
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
    await mkdir(join(folder.path, 'workspace'));
    await writeFile(join(folder.path, 'workspace', 'greeting.txt'), GREETING);
    app = await startApp({
      PORT: '0',
      DATA_DIR: join(folder.path, 'data'),
      WORKSPACE_DIR: join(folder.path, 'workspace'),
      POLICY_FILE: policy,
    });
    [desktop, phone] = await Promise.all([sitDown(app.url, DESKTOP), sitDown(app.url, PHONE)]);
  });
  after(async () => {
    await Promise.all([desktop?.close(), phone?.close()]);
    await app?.stop();
    await folder?.remove();
  });

  const forBoth = (what: (me: PagePerson) => Promise<unknown>) =>
    Promise.all([what(desktop), what(phone)]);
  const lookAtBoth = (name: string) => forBoth((me) => me.look(name));
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

  /** Presses the checkbox of a group member from any open channel, and goes back there. */
  async function toggleMember(me: PagePerson, person: string, picture: string): Promise<void> {
    const { page } = me;
    const isPhone = me === phone;
    const developer = page.getByRole(isPhone ? 'tab' : 'button', { name: 'Developer' });
    await me.press(developer);
    const panel = page.getByRole('complementary', { name: 'Developer' });
    await me.press(panel.getByRole('tab', { name: 'Groups' }));
    const group = panel.getByRole('group', { name: '@ops-approvers' });
    await me.look(picture);
    await me.press(group.getByRole('checkbox', { name: person }));
    await me.press(isPhone ? page.getByRole('tab', { name: 'Chat' }) : developer);
  }

  /** The newest card for a file in the open channel. */
  const card = (me: PagePerson, file: string): Locator =>
    main(me)
      .getByRole('article')
      .filter({ has: me.page.getByRole('button', { name: /^(?:Details|Open|More options)/ }) })
      .filter({ hasText: file })
      .last();
  const waitForText = (within: Locator, text: string | RegExp) =>
    within.getByText(text).first().waitFor();

  it('an admin creates a route in App Home', async () => {
    await forBoth(async (me) => {
      await me.actAs('admin');
      await openHome(me);
      await waitForText(main(me), 'No routes are set in Slack yet');
      await me.look('01-home-no-route');
    });
    await phone.press(button(main(phone), 'Add Route'));
    const form = dialog(phone);
    await forBoth((me) => dialog(me).getByRole('heading', { name: 'Add a route' }).waitFor());
    await lookAtBoth('02-route-form');
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('files');
    await form.getByRole('checkbox', { name: 'write_file', exact: true }).check();
    await form.getByRole('combobox', { name: 'Channel' }).selectOption('#approvals');
    await form.getByRole('combobox', { name: 'User groups' }).focus();
    await phone.press(form.getByRole('option', { name: '@ops-approvers' }));
    await form.getByRole('textbox', { name: 'Approvals needed' }).fill('2');
    await phone.look('03-route-form-filled');
    await phone.press(button(form, 'Save'));
    await forBoth(async (me) => {
      await waitForText(main(me), /^files/);
      await me.look('04-home-with-route');
    });
  });

  it('a call is posted in the approver channel, and the thread links to it', async () => {
    await forBoth(async (me) => {
      await me.actAs('requester');
      await open(me, 'general');
    });
    await desktop.ask('Write a file');
    await waitForText(desktop.thread, /waiting for .* in/);
    await desktop.look('05-thread-of-the-requester');
    await phone.press(main(phone).getByRole('button', { name: /repl(?:y|ies)|Countersign is/ }));
    await waitForText(phone.thread, /waiting for .* in/);
    await phone.look('05-thread-of-the-requester');
    // No card, and no buttons.
    assert.equal(await button(desktop.thread, 'Approve').count(), 0);
    await forBoth(async (me) => {
      await me.actAs('approver');
      await openHome(me);
      await main(me)
        .getByRole('button', { name: /^Review/ })
        .waitFor();
      await me.look('06-home-of-an-approver');
      await open(me, 'approvals');
      await button(card(me, 'haiku.txt'), 'Approve').waitFor();
      await waitForText(card(me, 'haiku.txt'), /0 of 2 approvals · waiting for/);
      await me.look('07-card-in-the-channel');
    });
  });

  it('one approval of two runs nothing, and an edit resets it', async () => {
    await phone.press(button(card(phone, 'haiku.txt'), 'Approve'));
    await forBoth((me) =>
      waitForText(card(me, 'haiku.txt'), '1 of 2 approvals by @Avery (approver)'),
    );
    await lookAtBoth('08-one-of-two');
    assert.deepEqual(await files(), { 'greeting.txt': GREETING });
    await desktop.actAs('admin');
    await desktop.press(button(card(desktop, 'haiku.txt'), 'Edit'));
    const content = dialog(desktop).getByRole('textbox', { name: 'Content', exact: true });
    await content.fill(`${HAIKU}Basho approves\n`);
    await desktop.look('09-edit-form');
    await desktop.press(dialog(desktop).locator('button[type=submit]'));
    await forBoth((me) => waitForText(card(me, 'haiku.txt'), '1 of 2 approvals by @Adair (admin)'));
    await lookAtBoth('10-edited');
    assert.deepEqual(await files(), { 'greeting.txt': GREETING });
  });

  it('nobody can approve their own request', async () => {
    await forBoth((me) => me.actAs('approver'));
    await open(desktop, 'general');
    await desktop.ask('Change a file');
    await waitForText(desktop.thread, /waiting for .* in/);
    await open(desktop, 'approvals');
    await desktop.press(button(card(desktop, 'greeting.txt'), 'Approve'));
    // The policy sets a high risk.
    await dialog(desktop).getByText('Edit greeting.txt').waitFor();
    await desktop.press(button(dialog(desktop), 'Approve'));
    await waitForText(main(desktop), 'does not let people approve their own calls');
    await lookAtBoth('14-self-approval');
  });

  it('a person removed from the group does not count', async () => {
    await toggleMember(phone, 'Adair (admin)', '11-groups');
    await phone.press(button(card(phone, 'haiku.txt'), 'Approve'));
    await forBoth(async (me) => {
      await waitForText(card(me, 'haiku.txt'), 'An approval no longer counts: @Adair (admin)');
      await waitForText(card(me, 'haiku.txt'), '1 of 2 approvals by @Avery (approver)');
      await card(me, 'haiku.txt').evaluate((node) => node.scrollIntoView());
    });
    await lookAtBoth('12-removed');
    assert.deepEqual(await files(), { 'greeting.txt': GREETING });
    // Added again; the app caches group members for a few seconds.
    await toggleMember(desktop, 'Adair (admin)', '13-groups-without');
  });

  it('a reminder is sent, then others are mentioned, then the call expires', async () => {
    await forBoth(async (me) => {
      const reminded = main(me)
        .getByRole('button', { name: /^1 reply/ })
        .last();
      await reminded.waitFor();
      await me.press(reminded);
      await waitForText(me.thread, 'Still open');
      await me.look('15-reminded');
    });
    await forBoth(async (me) => {
      if (me === phone)
        await phone.press(phone.page.getByRole('button', { name: 'Back to channel' }));
      await waitForText(main(me), 'moved to another channel');
    });
    await lookAtBoth('15-gone-on');
    await forBoth((me) => open(me, 'ops'));
    await forBoth((me) => waitForText(card(me, 'greeting.txt'), 'Expired'));
    await lookAtBoth('16-expired');
  });

  it('the requester asks again', async () => {
    await forBoth((me) => open(me, 'general'));
    await forBoth((me) =>
      me.press(
        main(me)
          .getByRole('button', { name: /repl(?:y|ies)|Countersign is/ })
          .last(),
      ),
    );
    await waitForText(phone.thread, 'Expired');
    await lookAtBoth('17-expired-in-the-thread');
    const alarms = phone.thread.getByText('can’t be approved');
    const before = await alarms.count();
    await phone.press(button(phone.thread, 'Ask Again'));
    await forBoth((me) => waitForText(me.thread, 'Asked again'));
    await forBoth((me) => waitForText(me.thread, /waiting for/));
    await lookAtBoth('18-asked-again');
    // The member was added again, and no cached list raises an alarm.
    assert.equal(await alarms.count(), before);
  });

  it('a person back in the group approves, and the edited call runs', async () => {
    await forBoth(async (me) => {
      await me.actAs('admin');
      await open(me, 'approvals');
    });
    await desktop.press(button(card(desktop, 'haiku.txt'), 'Approve'));
    await forBoth(async (me) => {
      await waitForText(card(me, 'haiku.txt'), /edited and approved by|approved by .*, .*, /);
      await card(me, 'haiku.txt').evaluate((node) => node.scrollIntoView());
    });
    await lookAtBoth('19-done');
    // The card shows the approval before the call has run.
    const expected = { 'greeting.txt': GREETING, 'haiku.txt': `${HAIKU}Basho approves\n` };
    // A file that is being renamed into place cannot be read.
    const now = () => files().catch(() => undefined);
    await until(async () => isDeepStrictEqual(await now(), expected));
  });

  it('the browsers log no errors and contact no other host', () => {
    assert.deepEqual([...desktop.problems, ...phone.problems], []);
  });
});
