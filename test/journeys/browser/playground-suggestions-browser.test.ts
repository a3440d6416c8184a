/** The example of the playground and its suggestions, each pressed once in a browser and decided, and the state after a restart. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { whyNoBrowser } from '../../playground/page/browser-tests.ts';
import { type AppProcess, startApp } from '../../support/app/app-process.ts';
import { PAGE_SIZES, type PagePerson, sitDown } from '../../support/app/page-person.ts';
import { inTurn, sampleName } from '../../support/sample.ts';
import { hasSandbox } from '../../support/system-needs.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';

/** The smallest size of a touch target. */
const TOUCH_PX = 44;

for (const size of inTurn(PAGE_SIZES, 1)) {
  describe(`the playground's suggestions at ${size.width} px (${sampleName})`, {
    skip: whyNoBrowser ?? false,
  }, () => {
    const isPhone = size.width < 500;
    let folder: Awaited<ReturnType<typeof makeTempDir>>;
    let app: AppProcess;
    let me: PagePerson;

    async function open(): Promise<void> {
      app = await startApp({
        PORT: '0',
        DATA_DIR: join(folder.path, 'data'),
        WORKSPACE_DIR: join(folder.path, 'workspace'),
      });
      me = await sitDown(app.url, size);
      await suggestions().getByRole('button').first().waitFor({ timeout: 60_000 });
    }
    before(async () => {
      folder = await makeTempDir();
      await open();
    });
    after(async () => {
      await me?.close();
      await app?.stop();
      await folder?.remove();
    });

    const suggestions = () => me.page.getByRole('group', { name: 'Suggested messages' });
    const channel = () => me.page.getByRole('main');
    const asked = (text: string) => channel().getByRole('article').filter({ hasText: text });
    const said = (text: string | RegExp) => me.thread.getByText(text).first().waitFor();

    const confirm = () => me.page.getByRole('dialog').locator('.button.filled');

    /** Presses the first button with that name, and answers its questions. */
    async function decide(place: Locator, name = 'Approve'): Promise<void> {
      const button = place.getByRole('button', { name, exact: true });
      await button.first().waitFor();
      const open = await button.count();
      await me.press(button.first());
      const isDecided = async () => (await button.count()) < open;
      await until(async () => (await confirm().isVisible()) || (await isDecided()), 20);
      if (await confirm().isVisible()) await me.press(confirm());
      await until(isDecided, 20);
    }

    async function openThread(text: string): Promise<void> {
      const root = asked(text).last();
      await me.press(root.getByRole('button', { name: /repl(?:y|ies)|Countersign is/ }));
    }

    async function toChannel(name: string): Promise<void> {
      await me.toChannels();
      const channels = me.page.getByRole('navigation', { name: 'Channels' });
      await me.press(channels.getByRole('button', { name }));
    }

    it('begin with a finished refund, a pending one, and suggestions', async () => {
      await me.look('20-example');
      for (const order of ['A-10288', 'A-10291']) assert.equal(await asked(order).count(), 1);
      if (isPhone) {
        for (const button of await suggestions().getByRole('button').all()) {
          const box = await button.boundingBox();
          assert.ok(box && box.height >= TOUCH_PX, `${box?.height} px`);
        }
      } else {
        // There is room for it beside the channel.
        await me.thread.getByRole('button', { name: 'Approve', exact: true }).waitFor();
      }
      await openThread('A-10288');
      await said(/The order is refunded/);
      await me.look('21-example-done');
    });

    it('a refund', async () => {
      await me.tryOut('Refund an order');
      await said(/paid €129\.00 on 3 March/);
      await me.look('22-refund');
      await decide(me.thread);
      await said(/Refunded €80\.00 for order A-10293/);
    });

    it('a command, if there is a sandbox', async () => {
      const button = suggestions().getByRole('button', { name: 'Run a command' });
      if (isPhone) await me.press(me.page.getByRole('button', { name: 'Back to channel' }));
      if (!hasSandbox()) return assert.equal(await button.count(), 0);
      await me.tryOut('Run a command');
      await said(/Sandboxed, without network/);
      await me.look('23-command');
      await decide(me.thread);
      await said(/The command ran/);
    });

    it('a changed file', async () => {
      await me.tryOut('Change a file');
      // The file does not exist yet, so it is written first.
      await decide(me.thread);
      await decide(me.thread);
      await said(/The greeting is switched/);
    });

    it('several refunds at once', async () => {
      await me.tryOut('Several at once');
      await me.thread.getByRole('button', { name: 'Approve All 3', exact: true }).waitFor();
      for (const order of ['A-10294', 'A-10295', 'A-10296']) await said(order);
      await me.look('24-several');
      await decide(me.thread, 'Approve All 3');
      await said(/The three orders are refunded/);
    });

    it('a transfer approved by two people, each for themselves', async () => {
      await me.tryOut('Two approvers');
      await said(/payroll/);
      await me.look('25-two-approvers');
      await me.actAs('approver');
      await toChannel('approvals');
      await me.press(channel().getByRole('button', { name: 'Approve', exact: true }));
      await me.press(confirm());
      // One approval is not enough, and the approver is told so.
      await channel().getByText('Only visible to you').waitFor();
      await me.actAs('admin');
      await toChannel('approvals');
      await decide(channel());
      await channel()
        .getByText(/Move €4,800\.00 to payroll.*approved by/)
        .first()
        .waitFor();
      await me.actAs('requester');
      await toChannel('general');
    });

    it('a program, and its question', async () => {
      await me.tryOut('A program asks');
      await decide(channel());
      await channel()
        .getByText(/100 are now in stock\./)
        .first()
        .waitFor();
      await me.tryOut('Ask me something');
      await channel().getByText('Large boxes').first().waitFor();
      await me.look('26-question');
      await decide(channel(), 'Ignore');
      await channel()
        .getByText(/ignored by/)
        .first()
        .waitFor();
    });

    it('the browser logs no errors', () => {
      assert.deepEqual(me.problems, []);
    });

    it('a restart shows the same workspace, without a second example', async () => {
      // Private messages are gone after a reload, also from the number of replies.
      const texts = async () =>
        (await channel().getByRole('article').allTextContents()).map((text) =>
          text.replace(/\d+ repl(?:y|ies)/, ''),
        );
      const before = await texts();
      await me.close();
      await app.stop();
      await open();
      assert.deepEqual(await texts(), before);
      assert.equal(await asked('A-10288').count(), 1);
    });
  });
}
