import { isJson, toRecords } from '../json-value.ts';
import { CHART } from './chart-rules.ts';
import { ELEMENT_RULES, type ElementType, elementOf, HTTP_URL } from './element-rules.ts';
import { LIMITS } from './limits.ts';
import {
  about,
  any,
  bool,
  byType,
  list,
  oneOf,
  plain,
  type Rule,
  rich,
  type Shape,
  shape,
  str,
  text,
  whole,
} from './rules.ts';

const SELECTS = [
  'static_select',
  'external_select',
  'users_select',
  'channels_select',
  'conversations_select',
  'multi_static_select',
  'multi_external_select',
  'multi_users_select',
  'multi_channels_select',
  'multi_conversations_select',
] as const satisfies readonly ElementType[];

const CHOICES = ['checkboxes', 'radio_buttons', 'datepicker', 'timepicker', ...SELECTS] as const;

function block({ required = {}, optional = {}, whole: check }: Shape): Rule {
  return shape({
    required: { type: any, ...required },
    optional: { block_id: str(LIMITS.blockId), ...optional },
    ...(check === undefined ? {} : { whole: check }),
  });
}

const richText = block({
  required: {
    elements: list(
      { min: 1, max: 1000, why: 'far above what people write' },
      byType({
        rich_text_section: any,
        rich_text_list: any,
        rich_text_quote: any,
        rich_text_preformatted: any,
      }),
    ),
  },
});
const rawText = shape({
  required: { type: any, text: str({ min: 1, max: 3000, why: 'minimum in @slack/types' }) },
});
const rawNumber = shape({ required: { type: any, value: any, text: any } });
const cell = byType({ raw_text: rawText, raw_number: rawNumber, rich_text: richText });
const mrkdwn = (limit: { max: number; min?: number; why: string }): Rule => text(['mrkdwn'], limit);

const image = block({
  required: { alt_text: str(LIMITS.altText) },
  optional: { title: plain(LIMITS.imageTitle), image_url: HTTP_URL, slack_file: any },
  whole: about((value, pointer, report) => {
    if ((value.image_url === undefined) === (value.slack_file === undefined)) {
      report(pointer, 'missing_field', 'must have either image_url or slack_file');
    }
  }),
});

const card = block({
  optional: {
    hero_image: ELEMENT_RULES.image,
    icon: ELEMENT_RULES.image,
    slack_icon: any,
    title: mrkdwn(LIMITS.cardTitle),
    subtitle: mrkdwn(LIMITS.cardTitle),
    body: mrkdwn(LIMITS.cardBody),
    subtext: mrkdwn(LIMITS.cardSubtext),
    actions: list(LIMITS.cardActions, elementOf('button')),
  },
  whole: about((value, pointer, report) => {
    if (!['hero_image', 'title', 'actions', 'body'].some((name) => value[name] !== undefined)) {
      report(pointer, 'missing_field', 'must have a hero_image, title, actions or body');
    }
    if (value.icon !== undefined && value.slack_icon !== undefined) {
      report(pointer, 'invalid_value', 'must not have both icon and slack_icon');
    }
  }),
});

const taskCard = block({
  required: {
    task_id: str(LIMITS.blockId),
    title: str(LIMITS.taskTitle),
    status: oneOf('pending', 'in_progress', 'complete', 'error'),
  },
  optional: { details: richText, output: richText, sources: any, icon: any, hide_title: bool },
});

const INPUTS = [
  'plain_text_input',
  'email_text_input',
  'url_text_input',
  'number_input',
  'rich_text_input',
  'datetimepicker',
  ...CHOICES,
] as const satisfies readonly ElementType[];

function inputOf(...elements: readonly ElementType[]): Rule {
  return block({
    required: { label: plain(LIMITS.inputLabel), element: elementOf(...elements) },
    optional: { hint: plain(LIMITS.inputHint), optional: bool, dispatch_action: bool },
    whole: about((value, pointer, report) => {
      const isFile = isJson(value.element) && value.element.type === 'file_input';
      if (isFile && value.dispatch_action === true) {
        report(pointer, 'invalid_value', 'dispatch_action is not supported for file_input');
      }
    }),
  });
}

const plainBlocks: Readonly<Record<string, Rule>> = {
  actions: block({
    required: {
      elements: list(
        LIMITS.actionsElements,
        elementOf(
          'button',
          'overflow',
          'workflow_button',
          'datetimepicker',
          'rich_text_input',
          ...CHOICES,
        ),
      ),
    },
  }),
  context: block({
    required: {
      elements: list(
        LIMITS.contextElements,
        byType({
          image: ELEMENT_RULES.image,
          plain_text: plain(LIMITS.contextText),
          mrkdwn: mrkdwn(LIMITS.contextText),
        }),
      ),
    },
  }),
  divider: block({}),
  header: block({ required: { text: plain(LIMITS.headerText) } }),
  image,
  input: inputOf(...INPUTS),
  rich_text: richText,
  section: block({
    optional: {
      text: rich(LIMITS.sectionText),
      fields: list(LIMITS.sectionFields, rich(LIMITS.sectionField)),
      accessory: elementOf('button', 'overflow', 'image', 'workflow_button', ...CHOICES),
      expand: bool,
    },
    whole: about((value, pointer, report) => {
      if (value.text === undefined && value.fields === undefined) {
        report(pointer, 'missing_field', 'missing required field: text or fields');
      }
    }),
  }),
  video: block({
    required: {
      video_url: HTTP_URL,
      thumbnail_url: HTTP_URL,
      alt_text: str(LIMITS.altText),
      title: plain({ min: 1, max: 199, why: 'docs of the video block: less than 200' }),
    },
    optional: {
      title_url: HTTP_URL,
      author_name: any,
      provider_name: any,
      provider_icon_url: any,
      description: any,
    },
  }),
  table: block({
    required: { rows: list(LIMITS.tableRows, list(LIMITS.tableCells, cell)) },
    optional: { column_settings: list(LIMITS.tableSettings, any) },
  }),
};

/** A remote file. It is allowed only inside a container. */
const file = block({ required: { external_id: str(LIMITS.externalId), source: oneOf('remote') } });

/** The blocks allowed in a message. */
export const MESSAGE_BLOCK_RULES: Readonly<Record<string, Rule>> = {
  ...plainBlocks,
  card,
  carousel: block({ required: { elements: list(LIMITS.carouselCards, byType({ card })) } }),
  container: block({
    required: { child_blocks: list(LIMITS.containerBlocks, byType({ ...plainBlocks, file })) },
    optional: {
      title: plain(LIMITS.containerTitle),
      rich_text_title: richText,
      subtitle: rich(LIMITS.containerTitle),
      width: oneOf('narrow', 'standard', 'wide', 'full'),
      icon: ELEMENT_RULES.image,
      is_collapsible: bool,
      default_collapsed: bool,
      has_header_divider: bool,
    },
    whole: about((value, pointer, report) => {
      if (value.title === undefined && value.rich_text_title === undefined) {
        report(pointer, 'missing_field', 'missing required field: title or rich_text_title');
      }
      if (value.default_collapsed === true && value.is_collapsible !== true) {
        report(pointer, 'invalid_value', 'default_collapsed requires is_collapsible');
      }
      if (value.has_header_divider === true && value.is_collapsible === true) {
        report(pointer, 'invalid_value', 'has_header_divider requires that it is not collapsible');
      }
    }),
  }),
  context_actions: block({
    required: {
      elements: list(LIMITS.contextActionsElements, elementOf('feedback_buttons', 'icon_button')),
    },
  }),
  data_table: block({
    required: {
      caption: str(LIMITS.dataTableCaption),
      rows: list(LIMITS.dataTableRows, list(LIMITS.tableCells, cell)),
    },
    optional: { page_size: whole(LIMITS.dataTablePage), row_header_column_index: any },
    whole: about((value, pointer, report) => {
      const rows = Array.isArray(value.rows) ? value.rows.filter((row) => Array.isArray(row)) : [];
      if (new Set(rows.map((row) => row.length)).size > 1) {
        report(`${pointer}/rows`, 'invalid_value', 'all rows must have as many cells');
      }
      if (toRecords(rows[0]).some((each) => each.type === 'rich_text')) {
        report(`${pointer}/rows/0`, 'invalid_value', 'a header cell must not be rich_text');
      }
    }),
  }),
  data_visualization: block({ required: { title: str(LIMITS.chartTitle), chart: CHART } }),
  markdown: block({ required: { text: str({ ...LIMITS.markdownTotal, min: 1 }) } }),
  plan: block({
    required: { title: str(LIMITS.taskTitle) },
    optional: {
      tasks: list({ max: 50, why: 'as many as blocks' }, byType({ task_card: taskCard })),
    },
  }),
  task_card: taskCard,
};

const alert = block({
  required: { text: rich(LIMITS.alertText) },
  optional: { level: oneOf('default', 'info', 'warning', 'error', 'success') },
});

const VIEW_BLOCKS = [
  'actions',
  'card',
  'context',
  'divider',
  'header',
  'image',
  'input',
  'rich_text',
  'section',
  'video',
] as const;

/** The blocks allowed in a modal. https://docs.slack.dev/reference/block-kit/blocks */
export const MODAL_BLOCK_RULES: Readonly<Record<string, Rule>> = {
  ...pick(VIEW_BLOCKS),
  input: inputOf(...INPUTS, 'file_input'),
  alert,
};

/** The blocks allowed in a Home tab. */
export const HOME_BLOCK_RULES: Readonly<Record<string, Rule>> = pick([
  ...VIEW_BLOCKS,
  'container',
  'data_table',
  'data_visualization',
  'table',
]);

function pick(types: readonly string[]): Readonly<Record<string, Rule>> {
  return Object.fromEntries(
    Object.entries(MESSAGE_BLOCK_RULES).filter(([type]) => types.includes(type)),
  );
}
