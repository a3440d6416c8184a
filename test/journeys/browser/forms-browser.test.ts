/** The forms of three tools, filled in on the playground page, on a phone and on a desktop. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { CALLS } from '../../fixtures/tools/form-tools.ts';
import { whyNoBrowser } from '../../playground/page/browser-tests.ts';
import { type AppProcess, startApp } from '../../support/app/app-process.ts';
import {
  PAGE_SIZES,
  type PagePerson,
  type PageSize,
  sitDown,
} from '../../support/app/page-person.ts';
import { inTurn, sampleName } from '../../support/sample.ts';
import {
  createMockModel,
  type MockModel,
  sayCalls,
  sayText,
} from '../../support/servers/mock-model.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const TOOLS = fileURLToPath(new URL('../../fixtures/tools/form-tools.ts', import.meta.url));

type ToolName = keyof typeof CALLS;

for (const size of inTurn(PAGE_SIZES, 1)) formsAt(size);

function formsAt(size: PageSize): void {
  describe(`forms at ${size.width} px (${sampleName})`, { skip: whyNoBrowser ?? false }, () => {
    let folder: Awaited<ReturnType<typeof makeTempDir>>;
    let model: MockModel;
    let app: AppProcess;
    let person: PagePerson;
    before(async () => {
      folder = await makeTempDir();
      model = await createMockModel();
      app = await startApp({
        PORT: '0',
        DATA_DIR: join(folder.path, 'data'),
        WORKSPACE_DIR: join(folder.path, 'workspace'),
        TOOLS_MODULE: TOOLS,
        RUN_JOURNAL: join(folder.path, 'runs'),
        OPENAI_BASE_URL: model.url,
      });
      person = await sitDown(app.url, size);
    });
    after(async () => {
      await person.close();
      await app.stop();
      await model.stop();
      await folder.remove();
    });

    const field = (form: Locator, label: string) =>
      form.getByLabel(label, { exact: false }).first();

    /** Requests a call of the tool and opens its form. */
    async function open(tool: ToolName): Promise<Locator> {
      const { page, thread, press } = person;
      model.script((_request, index) =>
        index === 0
          ? sayCalls([{ name: tool, args: JSON.stringify(CALLS[tool]) }])
          : sayText(`${tool} it is.`),
      );
      const back = page.getByRole('button', { name: 'Back to channel', exact: true });
      if (await back.isVisible()) await press(back);
      const channel = page.getByRole('main');
      await channel.getByRole('textbox', { name: /^Message/ }).fill(`@Countersign use ${tool}`);
      await press(channel.getByRole('button', { name: 'Send', exact: true }));
      const asked = channel.getByRole('article').filter({ hasText: `use ${tool}` });
      await press(asked.getByRole('button', { name: /repl(?:y|ies)|Countersign is/ }));
      await press(thread.getByRole('button', { name: 'Edit', exact: true }));
      const form = page.getByRole('dialog');
      await form.getByRole('button', { name: 'Save and Approve' }).waitFor();
      await person.look(`form-${tool}`);
      return form;
    }

    /** Saves the form; returns the arguments that the tool ran with. */
    async function save(form: Locator, tool: ToolName): Promise<unknown> {
      await person.press(form.getByRole('button', { name: 'Save and Approve' }));
      return await ranWith(tool);
    }

    /** Approves in the full view if the call does not fit on a card. */
    async function approveWhole(): Promise<void> {
      await person.thread.getByText('review all of it first').waitFor();
      await person.press(person.thread.getByRole('button', { name: /^Open/ }).last());
      const view = person.page.getByRole('dialog');
      await person.press(view.getByRole('button', { name: 'Approve', exact: true }));
      await person.press(view.getByRole('button', { name: 'Close', exact: true }));
    }

    async function ranWith(tool: ToolName): Promise<unknown> {
      await person.thread.getByText(`${tool} it is.`).waitFor();
      const text = await readFile(join(folder.path, 'runs'), 'utf8');
      const last: { readonly args: unknown } = JSON.parse(text.trim().split('\n').at(-1) ?? '');
      return last.args;
    }

    it('a refund is changed to another method', async () => {
      const form = await open('refund_order');
      await field(form, 'Amount').fill('60');
      await field(form, 'Reason').selectOption('goodwill');
      await person.press(form.getByRole('button', { name: 'Save and Approve' }));
      await form.getByText('Goodwill ends at 50 euros.').waitFor();
      await person.look('form-refund_order-error');
      await field(form, 'Amount').fill('20.5');
      await field(form, 'Refund to').selectOption('Voucher');
      await field(form, 'Valid until').fill('2027-01-31');
      await person.press(form.getByLabel('Yes'));
      await person.look('form-refund_order-voucher');
      assert.deepEqual(await save(form, 'refund_order'), {
        ...CALLS.refund_order,
        amount: 20.5,
        reason: 'goodwill',
        notifyCustomer: true,
        refundTo: { kind: 'voucher', validUntil: '2027-01-31' },
      });
    });

    it('an e-mail gets another recipient, a country out of hundreds and another label', async () => {
      const form = await open('send_email');
      await field(form, 'CC').fill('carl@example.com\ndora@example.com');
      await field(form, 'Country').fill('Swit');
      await person.press(form.getByRole('option', { name: 'Switzerland' }));
      await person.press(form.getByLabel('legal'));
      await person.look('form-send_email-filled');
      assert.deepEqual(await save(form, 'send_email'), {
        ...CALLS.send_email,
        cc: ['carl@example.com', 'dora@example.com'],
        country: 'Switzerland',
        labels: ['billing', 'support', 'legal'],
      });
    });

    it('a deployment gets another step and a schedule, and keeps its secrets', async () => {
      const form = await open('deploy_service');
      const { env, steps, ...rest } = CALLS.deploy_service;
      await field(form, 'Replicas').fill('6');
      await person.press(form.getByRole('button', { name: 'Remove: Steps 1 of 2' }));
      await form.getByText('Steps 1 of 1').waitFor();
      await person.press(form.getByRole('button', { name: 'Add Another: Env' }));
      await form.getByText('A new entry').waitFor();
      await form.getByLabel('Name').nth(1).fill('REGION');
      await form.getByLabel('Value').nth(1).fill('eu');
      await person.look('form-deploy_service-changed');
      assert.ok(!(await form.innerHTML()).includes('hunter2'));
      await person.press(form.getByRole('button', { name: 'Save and Approve' }));
      await approveWhole();
      assert.deepEqual(await ranWith('deploy_service'), {
        ...rest,
        env: { ...env, REGION: 'eu' },
        resources: { ...rest.resources, replicas: 6 },
        steps: [steps[1]],
      });
    });

    it('the browser logs no errors', () => {
      assert.deepEqual(person.problems, []);
      assert.deepEqual(model.refusals, []);
    });
  });
}
