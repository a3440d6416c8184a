/** The Messages tab of the playground, in a real browser: a welcome, and a thread started with one press, named, with its cost and rating. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { whyNoBrowser } from '../../playground/page/browser-tests.ts';
import { type AppProcess, startApp } from '../../support/app/app-process.ts';
import { PAGE_SIZES, type PagePerson, sitDown } from '../../support/app/page-person.ts';
import { readFolder } from '../../support/read-folder.ts';
import { inTurn, sampleName } from '../../support/sample.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

for (const size of inTurn(PAGE_SIZES)) {
  describe(`the Messages tab at ${size.width} px (${sampleName})`, {
    skip: whyNoBrowser ?? false,
  }, () => {
    let folder: Awaited<ReturnType<typeof makeTempDir>>;
    let app: AppProcess;
    let me: PagePerson;

    before(async () => {
      folder = await makeTempDir();
      app = await startApp({
        PORT: '0',
        DATA_DIR: join(folder.path, 'data'),
        WORKSPACE_DIR: join(folder.path, 'workspace'),
        SHOW_USAGE: '1',
      });
      me = await sitDown(app.url, size);
    });
    after(async () => {
      await me?.close();
      await app?.stop();
      await folder?.remove();
    });

    const said = (text: string | RegExp) => me.thread.getByText(text).first().waitFor();

    it('starts with a welcome and suggested messages', async () => {
      await me.toChannels();
      const channels = me.page.getByRole('navigation', { name: 'Channels' });
      await me.press(channels.getByRole('button', { name: 'Countersign' }));
      const hello = me.page.getByText(/Before I do anything risky, I post a card here/);
      await hello.first().waitFor();
      await me.look('tab-1-welcome');
    });

    it('sends a message with one press, names its thread after it, and shows its card', async () => {
      await me.press(me.page.getByRole('button', { name: 'Write a file', exact: true }));
      await me.thread
        .getByRole('heading', { name: /^Write a haiku about approvals to haiku.txt/ })
        .waitFor();
      await said('Countersign is waiting for a person');
      const card = me.card('haiku.txt');
      await card.getByRole('button', { name: 'Approve', exact: true }).waitFor();
      await me.look('tab-2-card');
      await me.press(card.getByRole('button', { name: 'Approve', exact: true }));
      await said('The haiku is written.');
      const files = await readFolder(join(folder.path, 'workspace'));
      assert.deepEqual(Object.keys(files), ['haiku.txt']);
    });

    it('shows below the answer what it cost, and buttons to rate it', async () => {
      await said(/^[\d,]+ tokens in · \d+ out · /);
      const rate = (name: string) => me.press(me.thread.getByRole('button', { name }));
      await rate('This answer helped');
      await said(/noted that this answer helped/);
      await rate('This answer did not help');
      await said(/noted that this answer did not help/);
      await me.look('tab-3-rated');
    });

    it('the browser logs no errors and contacts no other host', () => {
      assert.deepEqual(me.problems, []);
    });
  });
}
