import type { KnownBlock, ModalView } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import { maskingOfCall } from '../../../domain/calls/call-secrets.ts';
import { encodeCardToken } from '../../../domain/calls/digest.ts';
import { buildNote, listTitleOf } from '../../cards/sections/heading.ts';
import { ACTIONS, VIEWS } from '../../transport/ids.ts';
import type { FormNode } from '../plan/form-node.ts';
import { formatFormProblem } from '../read/form-errors.ts';
import { encodeFormMetadata, type FormMetadata } from '../read/form-metadata.ts';
import type { FormProblem } from '../read/read-form.ts';
import { type Row, toRows } from './draw-rows.ts';
import { toPages } from './form-pages.ts';

/** One rendered page of the form. */
export interface DrawnForm {
  readonly view: ModalView;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  /** The ids of the nodes on this page. */
  readonly shown: ReadonlySet<string>;
}

/**
 * Which page to render: by number, or the page that has the node `at`. Other numbers select the
 * nearest page.
 */
export interface FormPage {
  readonly meta: FormMetadata;
  readonly at?: string;
  /** Problems that Slack can't show on the fields themselves. */
  readonly problems?: readonly FormProblem[];
}

/** Builds a page of the form that edits a call's arguments. The last page saves. */
export function buildEditForm(
  call: Call,
  plan: FormNode,
  { meta, at, problems = [] }: FormPage,
): DrawnForm {
  const pages = toPages(toRows(plan));
  const page = pageOf(pages, meta.page, at);
  const rows = pages[page - 1] ?? [];
  const inputs = pages.flat().reduce((sum, row) => sum + row.inputs, 0);
  const isLast = page === pages.length;
  const isAnswer = behaviourOf(call).asksFor === 'form';
  const hasSubmit = isAnswer || inputs > 0 || pages.length > 1 || pages.flat().some(hasButton);
  const save = isAnswer ? 'Send Answer' : 'Save and Approve';
  const submit = isLast ? save : 'Next Page';
  const view: ModalView = {
    type: 'modal',
    callback_id: VIEWS.edit,
    private_metadata: `${encodeCardToken(call)} ${encodeFormMetadata({ ...meta, page })}`,
    title: plain(isAnswer ? 'Answer' : 'Edit the call'),
    close: plain('Cancel'),
    ...(hasSubmit && { submit: plain(submit) }),
    blocks: [
      ...intro(call, { page, pages: pages.length, hasSubmit }),
      ...rowsWith(rows, problems),
      ...(page > 1 ? [backRow(page)] : []),
    ],
  };
  return { view, page, pages: pages.length, shown: new Set(rows.map(({ id }) => id)) };
}

/** Prefers the current page if it shows the node. */
function pageOf(pages: readonly (readonly Row[])[], page: number, at: string | undefined): number {
  const shows = (rows: readonly Row[] | undefined) => rows?.some(({ id }) => id === at) ?? false;
  const now = Math.min(Math.max(1, page), pages.length);
  if (at === undefined || shows(pages[now - 1])) return now;
  const found = pages.findIndex(shows);
  return found < 0 ? now : found + 1;
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false } as const;
}

function hasButton({ blocks }: Row): boolean {
  return blocks.some(
    (block) =>
      block.type === 'actions' || (block.type === 'section' && block.accessory !== undefined),
  );
}

function intro(
  call: Call,
  {
    page,
    pages,
    hasSubmit,
  }: { readonly page: number; readonly pages: number; readonly hasSubmit: boolean },
): readonly KnownBlock[] {
  const name = listTitleOf(call);
  const edit = `${editFormIntro(name, hasSubmit)}${describeToolOwner(call)}`;
  const text = behaviourOf(call).asksFor === 'form' ? answerFormIntro(name) : edit;
  const paging = `Page ${page} of ${pages}. Your input is kept when you change pages.`;
  const about: KnownBlock = { type: 'section', text: plain(text), expand: true };
  const pageLine: KnownBlock = { type: 'context', elements: [plain(paging)] };
  const masking = maskingOfCall(call, undefined, { reveals: false });
  const first = page === 1 ? [...buildNote(call, masking), about] : [];
  return [...first, ...(pages > 1 ? [pageLine] : [])];
}

function answerFormIntro(name: string): string {
  return `${name}: the server chose these fields, and your answer goes to it. Never send a password, a key or a code.`;
}

function editFormIntro(name: string, hasSubmit: boolean): string {
  return hasSubmit
    ? `${name}. Saving approves the call with these values, if you're allowed to. Earlier approvals are reset.`
    : `${name} has nothing that can be edited.`;
}

/** Field names and hints of third parties must not look like our own text. */
function describeToolOwner({ outside, server }: Call): string {
  if (server === undefined && outside?.schema === undefined) return '';
  const source = server === undefined ? 'the caller' : `the MCP server “${server}”`;
  return ` Field names and hints come from ${source} and are unverified.`;
}

/** Puts each problem above its field, and those without a field on this page at the top. */
function rowsWith(rows: readonly Row[], problems: readonly FormProblem[]): readonly KnownBlock[] {
  const here = new Set(rows.map(({ id }) => id));
  const general = problems.filter(({ id }) => id === undefined || !here.has(id));
  return [
    ...general.map(problemBlock),
    ...rows.flatMap((row) => [
      ...problems.filter(({ id }) => id === row.id).map(problemBlock),
      ...row.blocks,
    ]),
  ];
}

function problemBlock(problem: FormProblem): KnownBlock {
  return { type: 'section', text: plain(`⚠ ${formatFormProblem(problem)}`), expand: true };
}

function backRow(page: number): KnownBlock {
  return {
    type: 'actions',
    block_id: 'form.back',
    elements: [
      {
        type: 'button',
        action_id: ACTIONS.formBack,
        text: plain('Previous Page'),
        value: String(page - 1),
      },
    ],
  };
}
