/** The page in a real browser, at a desktop's and a phone's width, against a real Bolt app. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { WebClient } from '@slack/web-api';
import type { Locator, Page } from 'playwright-core';
import { assertFits } from './assert-fits.ts';
import { whyNoBrowser } from './browser-tests.ts';
import { openChromium } from './chromium.ts';
import { PAGE_OPTIONS, startTinyPlayground, type TinyPlayground } from './start-tiny-playground.ts';

const ASK = '@Countersign fix the day in docs/notes.md <b onclick="x()">now</b>';

for (const size of [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]) {
  const isPhone = size.width < 768;

  describe(`the page at ${size.width} px`, { skip: whyNoBrowser ?? false }, () => {
    let playground: TinyPlayground;
    let page: Page;
    let close: () => Promise<void>;
    const problems: string[] = [];

    before(async () => {
      playground = await startTinyPlayground();
      const context = await openChromium(size);
      close = () => context.close();
      page = await context.newPage();
      page.setDefaultTimeout(10_000);
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text());
      });
      await page.goto(playground.url);
    });
    after(async () => {
      await close();
      await playground.close();
    });

    const thread = () => page.getByRole('region', { name: 'Thread' });
    const dialog = () => page.getByRole('dialog', { name: 'Edit the arguments' });
    const field = (name: string) => dialog().getByRole('textbox', { name });
    const actAs = (name: string) =>
      page.getByRole('group', { name: 'Act as' }).getByRole('button', { name }).click();
    const openThread = async () => {
      if (!(await thread().isVisible())) await page.getByRole('button', { name: /repl/ }).click();
    };
    const toChannel = async () => {
      if (isPhone) await thread().getByRole('button', { name: 'Back to channel' }).click();
    };

    test('an empty channel says what to do, and a click on a suggestion does it at once', async () => {
      await page
        .getByText(/with a task, or choose one of the suggestions below\. Before it does/)
        .waitFor();
      const asked = page.waitForRequest('**/ui/try');
      await page.getByRole('button', { name: 'Run a command' }).click();
      const expected = { as: 'requester', channel: 'C0GENERAL', label: 'Run a command' };
      assert.deepEqual((await asked).postDataJSON(), expected);
      const composer = page.getByRole('textbox', { name: 'Message #general' });
      assert.equal(await composer.inputValue(), '');
      await assertFits(page);
    });

    test('an empty channel mentions suggestions only if there are some', async (t) => {
      const real = await startTinyPlayground({
        ...PAGE_OPTIONS,
        tryOuts: Promise.resolve({ list: () => [], run: async () => ({}) }),
      });
      t.after(() => real.close());
      const other = await page.context().newPage();
      await other.goto(real.url);
      await other.getByText(/Mention @Countersign with a task\. Before it does/).waitFor();
      await other.close();
    });

    test('Shift+Enter breaks the line, Enter sends, and HTML is shown as text', async () => {
      const composer = page.getByRole('textbox', { name: 'Message #general' });
      await composer.fill(ASK);
      await composer.press('Shift+Enter');
      await composer.pressSequentially('please @cou');
      await composer.press('Enter');
      assert.equal(await composer.inputValue(), `${ASK}\nplease @Countersign `);
      await composer.press('Enter');
      await page.getByRole('button', { name: /1 reply/ }).waitFor();
      const [said] = playground.workspace.see('requester').messages;
      assert.match(said?.text ?? '', /^<@U0COUNTERSIGN> fix .* &lt;b onclick="x\(\)"&gt;/);
      const shown = page.locator(`[data-ts="${said?.ts}"] .content`).first();
      assert.equal((await shown.textContent())?.trim(), `${ASK}\nplease @Countersign`);
      assert.equal(await page.locator('.content b').count(), 0);
    });

    test('a long preformatted text is shown to its end', async () => {
      const { botToken: token, apiUrl: slackApiUrl } = playground.workspace;
      const client = new WebClient(token, { slackApiUrl });
      const elements = [{ type: 'text' as const, text: `${'word '.repeat(550)}the end` }];
      const block = {
        type: 'rich_text' as const,
        elements: [{ type: 'rich_text_preformatted' as const, elements }],
      };
      const channel = playground.workspace.channel('general').id;
      const { ts = '' } = await client.chat.postMessage({ channel, text: 'long', blocks: [block] });
      const shown = page.locator(`article[data-ts="${ts}"] pre`);
      await shown.getByText('the end').waitFor();
      await assertFits(page);
      await client.chat.delete({ channel, ts });
      await shown.waitFor({ state: 'detached' });
    });

    test('the thread shows the card, the status and a row of buttons that fits', async () => {
      await openThread();
      await thread().getByRole('heading', { name: 'Write a file: docs/notes.md' }).waitFor();
      await thread().getByText('Countersign is waiting for Avery…').waitFor();
      assert.equal(
        await page.getByRole('textbox', { name: 'Message #general' }).isVisible(),
        !isPhone,
      );
      await assertFits(page);
    });

    test('the answer to a refused click is visible only to the person who clicked', async () => {
      await thread().getByRole('button', { name: 'Ignore' }).click();
      const note = thread().getByText('Only Avery may decide this call.');
      await note.waitFor();
      await thread().getByText('Only visible to you').waitFor();
      await actAs('approver');
      await thread().getByRole('button', { name: 'Approve' }).waitFor();
      assert.equal(await note.count(), 0);
    });

    test('a form shows an error at its field, keeps the typed values, and accepts the correct value', async () => {
      await thread().getByRole('button', { name: 'Edit' }).click();
      await field('Lines').fill('many');
      await dialog().getByRole('button', { name: 'Save and approve' }).click();
      await dialog().getByRole('alert').filter({ hasText: 'Must be a whole number.' }).waitFor();
      assert.equal(await field('Lines').evaluate((node) => node === document.activeElement), true);
      await assertFits(page);
      await assertFocusStays(page, dialog());

      await field('Lines').fill('7');
      await dialog().getByRole('combobox', { name: 'Tool' }).fill('x');
      await dialog().getByRole('option', { name: 'tool-x' }).click();
      await dialog().getByRole('button', { name: 'Remove tool-x' }).waitFor();
      await assertFits(page);
      await field('Path').fill('/etc/passwd');
      await field('Path').press('Enter');
      await dialog().getByRole('alert').filter({ hasText: 'Must be inside' }).waitFor();
      await page.reload();
      assert.equal(await field('Lines').inputValue(), '7');
      await field('Path').fill('docs/other.md');
      await dialog().getByRole('button', { name: 'Save and approve' }).click();
      await dialog().waitFor({ state: 'detached' });
      await toChannel();
      await page.getByText('saved docs/other.md with 7 lines, tool-x').waitFor();
      await page.getByText('Unsupported block: card').waitFor();
      await page.getByRole('heading', { name: 'Done' }).waitFor();
      await assertFits(page);
    });

    test('Escape closes a form and gives the focus back', async () => {
      await openThread();
      const edit = thread().getByRole('button', { name: 'Edit' });
      await edit.click();
      await field('Path').waitFor();
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
      assert.equal(await edit.evaluate((node) => node === document.activeElement), true);
    });

    test('an overflow menu opens by keyboard and closes by Escape', async () => {
      const more = thread().getByRole('button', { name: 'More options' });
      await more.press('Enter');
      const first = page.getByRole('menuitem', { name: 'Show everything' });
      await first.waitFor();
      await assertFits(page);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Escape');
      await first.waitFor({ state: 'detached' });
      assert.equal(await more.evaluate((node) => node === document.activeElement), true);
    });

    test('a click on Approve changes the card for everybody', async () => {
      await thread().getByRole('button', { name: 'Approve' }).click();
      await thread().getByText('Approved by @Avery').waitFor();
      await actAs('requester');
      await thread().getByText('Approved by @Avery').waitFor();
      assert.equal(await thread().getByRole('button', { name: 'Approve' }).count(), 0);
    });

    test('a slash command is no message, and its response is private', async () => {
      await toChannel();
      const composer = page.getByRole('textbox', { name: 'Message #general' });
      await composer.fill('/countersign stop now');
      await composer.press('Enter');
      await page.getByText('You ran it with "stop now".').waitFor();
      assert.ok(
        !playground.workspace.see('approver').messages.some(({ text }) => /stop now/.test(text)),
      );
    });

    test("the app's Home tab is drawn, and its menus reach the app", async () => {
      if (isPhone) await page.getByRole('button', { name: 'Back to channels' }).click();
      await assertFits(page);
      const nav = page.getByRole('navigation', { name: 'Channels' });
      await nav.getByRole('button', { name: 'Countersign' }).click();
      await page.getByRole('textbox', { name: 'Message Countersign' }).waitFor();
      await page.getByRole('tab', { name: 'Home' }).click();
      await page.getByText('Nothing chosen yet.').waitFor();
      await assertFits(page);
      const home = page.getByRole('tabpanel', { name: 'Home' });
      const got = (part: string) => home.getByText(part).waitFor();
      await home.getByRole('combobox', { name: 'Who decides?' }).selectOption('U0APPROVER');
      await got('"selected_user":"U0APPROVER"');
      await home.getByRole('combobox', { name: 'Which?' }).selectOption('second');
      await got('"value":"second"');
      await home.getByRole('checkbox', { name: 'First' }).check();
      await got('"selected_options":[{"text":{"type":"plain_text","text":"First"');
      await home.getByRole('radio', { name: 'Marked up', exact: true }).waitFor();
      await home.getByRole('radio', { name: '*Plain* <@U0ADMIN>', exact: true }).check();
      await got('"type":"radio_buttons"');
      await home.getByLabel('Until when?').fill('2026-12-31');
      await got('"selected_date":"2026-12-31"');
      await home.getByLabel('At what time?').fill('13:45');
      await got('"selected_time":"13:45"');
      await home.locator('[data-action-id="el.datetime"]').fill('2026-12-31T10:00');
      await got('"selected_date_time":17');
      await home.getByRole('textbox', { name: 'Note' }).fill('hello');
      await home.getByRole('textbox', { name: 'Note' }).press('Enter');
      await got('"value":"hello"');
    });

    test('a button with a confirmation is sent only after a yes', async () => {
      const press = () => page.getByRole('button', { name: 'Delete the route' }).click();
      const question = page.getByRole('dialog', { name: 'Delete it?' });
      const presses = () =>
        playground.workspace.journal.filter(({ request }) =>
          JSON.stringify(request).includes('"value":"gone","'),
        ).length;
      await press();
      await question.getByRole('button', { name: 'Keep' }).click();
      await question.waitFor({ state: 'detached' });
      const before = presses();
      await press();
      await assertFits(page);
      await question.getByRole('button', { name: 'Yes, delete' }).click();
      await page.getByText(/Got .*"value":"gone"/).waitFor();
      assert.ok(presses() > before);
    });

    test('the developer panel shows payloads, responses and files', async () => {
      const role = isPhone ? 'tab' : 'button';
      await page.getByRole(role, { name: 'Developer' }).click();
      const panel = page.getByRole('complementary', { name: 'Developer' });
      await panel.getByRole('combobox', { name: 'Show' }).selectOption('interactions');
      await panel.locator('summary', { hasText: 'view_submission' }).first().click();
      await panel.getByText('"docs/other.md"').first().waitFor();
      await assertFits(page);
      await panel.getByRole('tab', { name: 'Files' }).click();
      await panel.locator('summary', { hasText: 'docs/notes.md' }).click();
      await panel.getByText('# Notes').waitFor();
      if (isPhone) return;
      await page.getByRole('navigation').getByRole('button', { name: 'general' }).click();
      await openThread();
      await assertFits(page);
    });

    test('the browser reports no errors', () => {
      assert.deepEqual(problems, []);
    });
  });
}

/** Tab never moves the focus to the page behind the dialog. */
async function assertFocusStays(page: Page, dialog: Locator): Promise<void> {
  for (let press = 0; press < 14; press += 1) {
    await page.keyboard.press('Tab');
    const isInside = await dialog.evaluate(
      (node) => node.contains(document.activeElement) || document.activeElement === document.body,
    );
    assert.ok(isInside, `after ${press + 1} presses of Tab`);
  }
}
