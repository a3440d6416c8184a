/** The first hour without configuration: `npm start`, its page in a browser, every decision, and the files on disk. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { whyNoBrowser } from '../../playground/page/browser-tests.ts';
import { type AppProcess, NPM_START, startApp } from '../../support/app/app-process.ts';
import { DESKTOP, PAGE_SIZES, type PagePerson, sitDown } from '../../support/app/page-person.ts';
import { readFolder } from '../../support/read-folder.ts';
import { inTurn, sampleName } from '../../support/sample.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';

for (const size of inTurn(PAGE_SIZES)) {
  describe(`the playground at ${size.width} px (${sampleName})`, {
    skip: whyNoBrowser ?? false,
  }, () => {
    const isPhone = size.width < 500;
    let folder: Awaited<ReturnType<typeof makeTempDir>>;
    let app: AppProcess;
    let me: PagePerson;
    let startedInMs = 0;
    /** All calls approved so far: only these may be on disk. */
    const approved: Record<string, string> = {};

    before(async () => {
      folder = await makeTempDir();
      const begin = performance.now();
      const place = {
        PORT: '0',
        DATA_DIR: join(folder.path, 'data'),
        WORKSPACE_DIR: join(folder.path, 'workspace'),
      };
      app = await startApp(place, NPM_START);
      startedInMs = Math.round(performance.now() - begin);
      me = await sitDown(app.url, size);
    });
    after(async () => {
      await me?.close();
      await app?.stop();
      await folder?.remove();
    });

    const files = () => readFolder(join(folder.path, 'workspace'));
    const button = (name: string, path: string) =>
      me.card(path).getByRole('button', { name, exact: true });
    /** Waits until exactly the approved files are on disk. */
    async function written(): Promise<void> {
      // A file that is being renamed into place cannot be read.
      const now = () => files().catch(() => undefined);
      await until(async () => isDeepStrictEqual(await now(), approved), 20);
    }
    /** A settled card is one line. */
    const done = (path: string) =>
      me
        .card(path)
        .locator('.with-accessory')
        .getByText(/approved by/)
        .last()
        .waitFor();
    const said = (text: string | RegExp) => me.thread.getByText(text).waitFor();
    const dialog = () => me.page.getByRole('dialog');
    const field = (name: string) => dialog().getByRole('textbox', { name, exact: true });
    const submit = () => me.press(dialog().locator('button[type=submit]'));

    async function approve(path: string, text: string): Promise<void> {
      const card = me.card(path);
      await button('Approve', path).waitFor();
      // The written bytes must be exactly those on the card.
      const shown = await card.locator('pre, blockquote').allInnerTexts();
      assert.ok(shown.map((each) => each.trimEnd()).includes(text.trimEnd()), shown.join('\n'));
      await card.getByText('ends with a line break').waitFor();
      assert.deepEqual(await files(), approved);
      await me.press(button('Approve', path));
      approved[path] = text;
      await written();
      await done(path);
    }

    /** The line of a call on the card of several. */
    const line = (path: string) =>
      me.thread.locator('.with-accessory').filter({ hasText: path }).last();

    async function approveLine(path: string, text: string): Promise<void> {
      await me.press(line(path).getByRole('button', { name: 'Open', exact: true }));
      const approve = dialog().getByRole('button', { name: 'Approve', exact: true });
      await approve.waitFor();
      // The written bytes must be exactly those shown.
      assert.ok((await dialog().locator('pre').allTextContents()).includes(text));
      assert.deepEqual(await files(), approved);
      await me.press(approve);
      await line(path)
        .getByText(/approved by/)
        .waitFor();
      approved[path] = text;
      await written();
      await me.press(dialog().getByRole('button', { name: 'Close', exact: true }));
      await dialog().waitFor({ state: 'detached' });
    }

    it('the first page says what to try', async (t) => {
      t.diagnostic(`npm start printed its address after ${startedInMs} ms`);
      const suggested = me.page.getByRole('group', { name: 'Suggested messages' });
      await suggested.getByRole('button', { name: 'Refund an order' }).waitFor();
      await me.look('01-first-sight');
      assert.deepEqual(await files(), {});
    });

    it('Approve writes the file shown on the card', async () => {
      await me.ask('Write a file');
      await button('Approve', 'haiku.txt').waitFor();
      await me.look('02-pending');
      const haiku = 'A card in the thread\nwaits for one press of a thumb\nthen the work goes on\n';
      await approve('haiku.txt', haiku);
      await said(/^The haiku is written/);
      await me.look('03-approved');
    });

    it('Edit shows an error on the field, accepts a valid value, and that one is written', async () => {
      await me.ask('Change a file');
      await me.press(button('Edit', 'greeting.txt'));
      await field('Path').fill('');
      await submit();
      await dialog().getByRole('alert').filter({ hasText: 'required' }).waitFor();
      await me.look('04-edit-missing');
      await assertSheet();
      assert.deepEqual(await files(), approved);
      await field('Path').fill('greeting.txt');
      approved['greeting.txt'] = 'Hello, team!\n\nThe next release is on Friday.\n';
      await field('Content').fill(approved['greeting.txt']);
      await submit();
      await dialog().waitFor({ state: 'detached' });
      await done('greeting.txt');
      await written();
      await me.look('05-edited');
    });

    it('a double click on Approve runs the call once, and the second click is answered', async () => {
      await button('Approve', 'greeting.txt').waitFor();
      await me.look('06-diff');
      await me.pressTwice(button('Approve', 'greeting.txt'));
      // A second run would fail, since the old text is gone.
      await said(/^The greeting is switched/);
      approved['greeting.txt'] = 'Good morning, colleagues.\n\nThe next release is on Friday.\n';
      await written();
      await said(/Nothing changed: .*greeting\.txt/);
      await me.look('07-second-click');
    });

    it('Reply gives the text to the agent, and nothing is written', async () => {
      await me.ask('Correct an error');
      await me.press(button('Reply', 'agenda.md'));
      await dialog().getByRole('textbox').fill(' ');
      await submit();
      await dialog().getByRole('alert').waitFor();
      await dialog().getByRole('textbox').fill('No agenda is needed: we skip the meeting.');
      await me.look('08-reply');
      await assertSheet();
      await submit();
      await dialog().waitFor({ state: 'detached' });
      await me
        .card('agenda.md')
        .getByText(/answered by/)
        .waitFor();
      await said(/you replied instead: “No agenda is needed: we skip the meeting\.”/);
      await me.look('09-replied');
      assert.deepEqual(await files(), approved);
    });

    it('three calls are decided in the order 2, 1, 3, and each writes its own file at once', async () => {
      await me.ask('Three calls at once');
      await line('week/wednesday.md').getByRole('button', { name: 'Open' }).waitFor();
      await me.look('10-batch');
      for (const day of ['tuesday', 'monday', 'wednesday']) {
        await approveLine(`week/${day}.md`, `# ${day}\n\n- One thing that matters\n`);
        await me.look(`11-batch-${day}`);
      }
      await said(/^The week is planned/);
    });

    it('an outsider’s click is refused privately, and the requester can still decide', async () => {
      await me.ask('Two calls at once');
      await button('Approve All 2', 'release/notes.md').waitFor();
      await me.actAs('outsider');
      await me.press(button('Approve All 2', 'release/notes.md'));
      const refusal = me.thread.getByRole('article').filter({ hasText: 'Only visible to you' });
      await refusal.filter({ hasText: 'Nothing changed.' }).waitFor();
      await me.look('12-outsider-refused');
      assert.deepEqual(await files(), approved);
      await me.actAs('requester');
      assert.equal(await refusal.count(), 0);
      await me.press(button('Approve All 2', 'release/notes.md'));
      approved['release/notes.md'] = '# Release notes\n\n- Calls are countersigned on cards.\n';
      approved['release/checklist.md'] = '# Checklist\n\n- [ ] Tests pass\n- [ ] Notes are read\n';
      await said(/^The release is prepared/);
      await written();
    });

    it('Ignore ends the turn, and all files are still there', async () => {
      await me.ask('Delete files');
      await me.press(line('greeting.txt').getByRole('button', { name: 'Open', exact: true }));
      await me.look('13-delete');
      await me.press(dialog().getByRole('button', { name: 'Ignore', exact: true }));
      const confirm = dialog().last();
      await confirm.getByText(/other calls? (?:is|are) withdrawn/).waitFor();
      await me.look('13-confirm');
      await me.press(confirm.getByRole('button', { name: 'Ignore', exact: true }));
      await line('greeting.txt')
        .getByText(/ignored by/)
        .waitFor();
      await line('haiku.txt')
        .getByText(/withdrawn/)
        .waitFor();
      await me.press(dialog().getByRole('button', { name: 'Close', exact: true }));
      await me.look('14-ignored');
      assert.deepEqual(await files(), approved);
    });

    it('the next message works, and a long answer with a table and code fits', async () => {
      await me.ask('A long answer');
      await said('That was the long answer.');
      await me.look('15-long-answer-end');
      await me.thread.getByRole('table').scrollIntoViewIfNeeded();
      await me.look('16-long-answer-table');
    });

    it('the app’s home and the developer panel fit', async () => {
      await me.toChannels();
      await me.look('17-channels');
      const channels = me.page.getByRole('navigation', { name: 'Channels' });
      await me.press(channels.getByRole('button', { name: 'Countersign' }));
      await me.press(me.page.getByRole('tab', { name: 'Home' }));
      await me.page.getByRole('tabpanel', { name: 'Home' }).waitFor();
      await me.look('18-home');
      await me.press(me.page.getByRole(isPhone ? 'tab' : 'button', { name: 'Developer' }));
      const panel = me.page.getByRole('complementary', { name: 'Developer' });
      await panel.getByText('chat.postMessage').first().waitFor();
      await me.look('19-developer');
    });

    it('the browser logs no errors and contacts no other host', () => {
      assert.deepEqual(me.problems, []);
    });

    /** On a phone a form is a sheet at the lower edge, as wide as the screen. */
    async function assertSheet(): Promise<void> {
      const box = await dialog().evaluate((node) => {
        const { left, right, bottom, height } = node.getBoundingClientRect();
        return { left, right, bottom, height };
      });
      if (!isPhone) return assert.ok(box.left > 0 && box.right < size.width);
      assert.deepEqual(
        { left: box.left, right: box.right, bottom: Math.round(box.bottom) },
        { left: 0, right: size.width, bottom: size.height },
      );
      assert.ok(box.height < size.height);
    }
  });
}

describe('the playground on all addresses of the machine', {
  skip: whyNoBrowser ?? false,
}, () => {
  it('opens only with the printed address, removes the token from it, and works like on loopback', async (t) => {
    const folder = await makeTempDir();
    const app = await startApp({
      HOST: '0.0.0.0',
      PORT: '0',
      DATA_DIR: join(folder.path, 'data'),
      WORKSPACE_DIR: join(folder.path, 'workspace'),
    });
    t.after(async () => {
      await app.stop();
      await folder.remove();
    });
    const printed = /open: (http:\S+)/.exec(app.output())?.[1] ?? '';
    assert.match(printed, /^http:\/\/0\.0\.0\.0:\d+\/\?token=[\w-]{43}$/);
    assert.match(app.output(), /HOST opens the playground to other machines/);
    const here = printed.replace('0.0.0.0', '127.0.0.1');
    const base = new URL('/', here).href;
    assert.equal((await fetch(new URL('/ui/files', here))).status, 401);
    assert.equal((await fetch(new URL('/healthz', here))).status, 200);

    const me = await sitDown(base, DESKTOP);
    t.after(() => me.close());
    await me.page.getByText(/full address that it printed/).waitFor();
    await me.page.goto(here);
    await me.page.getByRole('button', { name: 'Refund an order' }).waitFor();
    assert.equal(me.page.url(), base);
    assert.equal(await me.page.evaluate('document.cookie'), '');
    await me.ask('Write a file');
    await me.press(me.card('haiku.txt').getByRole('button', { name: 'Approve', exact: true }));
    await me.thread.getByText(/^The haiku is written/).waitFor();
    assert.deepEqual(Object.keys(await readFolder(join(folder.path, 'workspace'))), ['haiku.txt']);
    await me.page.goto(base);
    await me.page.locator('.panes').waitFor();
  });
});
