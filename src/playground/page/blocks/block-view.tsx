import type {
  ActionsBlock,
  AlertBlock,
  ContextBlock,
  HeaderBlock,
  InputBlock,
  KnownBlock,
  SectionBlock,
} from '@slack/types';
import { useId } from 'preact/hooks';
import type { Place } from '../state/element-host.ts';
import { Inlines } from '../text/inline-view.tsx';
import { parsePlainText } from '../text/mrkdwn.ts';
import { RichText } from '../text/rich-text.tsx';
import { Folded, Markdown, TextView } from '../text/text-view.tsx';
import { ElementView } from './element-view.tsx';
import { ImageView } from './image-view.tsx';
import { TableView } from './table-view.tsx';
import { PlanView, TaskCard } from './task-view.tsx';

/** Shows blocks of a message, modal or App Home. `errors` are by block id. */
export function Blocks(props: {
  blocks: readonly KnownBlock[];
  errors?: Readonly<Record<string, string>>;
}) {
  return (
    <div class="blocks">
      {props.blocks.map((block, index) => (
        <div
          key={block.block_id ?? index}
          class={`block ${block.type}`}
          data-block-id={block.block_id}
        >
          <BlockView block={block} error={props.errors?.[block.block_id ?? '']} />
        </div>
      ))}
    </div>
  );
}

function BlockView({ block, error }: { block: KnownBlock; error: string | undefined }) {
  const place: Place = { blockId: block.block_id ?? '', isField: false, dispatches: true };
  switch (block.type) {
    case 'header':
      return <Header block={block} />;
    case 'section':
      return <Section block={block} place={place} />;
    case 'context':
      return <Context block={block} />;
    case 'actions':
    case 'context_actions':
      return <Actions elements={block.elements} place={place} />;
    case 'divider':
      return <hr />;
    case 'image':
      return <ImageBlockView alt={block.alt_text} title={block.title?.text} />;
    case 'input':
      return <Input block={block} error={error} />;
    case 'markdown':
      return <Markdown text={block.text} />;
    case 'rich_text':
      return <RichText block={block} />;
    case 'table':
      return <TableView block={block} />;
    case 'alert':
      return <Alert block={block} />;
    case 'task_card':
      return <TaskCard task={block} />;
    case 'plan':
      return <PlanView plan={block} />;
    default:
      return <p class="unsupported">Unsupported block: {block.type}</p>;
  }
}

function Header({ block }: { block: HeaderBlock }) {
  return (
    <h3>
      <Inlines nodes={parsePlainText(block.text.text)} />
    </h3>
  );
}

function Section({ block, place }: { block: SectionBlock; place: Place }) {
  const text = block.text && <TextView text={block.text} />;
  const isFoldable = block.expand !== true && block.text !== undefined;
  return (
    <div class={block.accessory === undefined ? 'section-body' : 'section-body with-accessory'}>
      <div class="section-text">
        {isFoldable ? <Folded text={block.text?.text ?? ''}>{text}</Folded> : text}
        {block.fields !== undefined && (
          <div class="fields">
            {block.fields.map((field, index) => (
              <div key={index}>
                <TextView text={field} />
              </div>
            ))}
          </div>
        )}
      </div>
      {block.accessory !== undefined && (
        <div class="accessory">
          <ElementView element={block.accessory} place={place} />
        </div>
      )}
    </div>
  );
}

function Context({ block }: { block: ContextBlock }) {
  return (
    <>
      {block.elements.map((element, index) => (
        <div key={index} class="context-part">
          {element.type === 'image' ? (
            <ImageView alt={element.alt_text} />
          ) : (
            <TextView text={element} />
          )}
        </div>
      ))}
    </>
  );
}

function Actions(props: { elements: readonly ActionElement[]; place: Place }) {
  return (
    <>
      {props.elements.map((element, index) => (
        <ElementView key={element.action_id ?? index} element={element} place={props.place} />
      ))}
    </>
  );
}

type ActionElement =
  | ActionsBlock['elements'][number]
  | Extract<KnownBlock, { type: 'context_actions' }>['elements'][number];

function ImageBlockView({ alt, title }: { alt: string; title: string | undefined }) {
  return title === undefined ? <ImageView alt={alt} /> : <ImageView alt={alt} title={title} />;
}

const ALERT_SIGNS = { default: '💬', info: 'ℹ️', warning: '⚠️', error: '⛔', success: '✅' } as const;

function Alert({ block }: { block: AlertBlock }) {
  const level = block.level ?? 'default';
  return (
    <div class={`alert-box ${level}`} role="note">
      <span aria-hidden="true">{ALERT_SIGNS[level]}</span>
      <div>
        <TextView text={block.text} />
      </div>
    </div>
  );
}

function Input({ block, error }: { block: InputBlock; error: string | undefined }) {
  const id = useId();
  const described = [block.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const place: Place = {
    blockId: block.block_id ?? '',
    isField: true,
    dispatches: block.dispatch_action ?? false,
    label: { id: `${id}-label`, controlId: `${id}-control` },
    isInvalid: error !== undefined,
    ...(described === '' ? {} : { describedBy: described }),
  };
  return (
    <div class="field">
      <div class="label">
        <label id={`${id}-label`} for={`${id}-control`}>
          {block.label.text}
        </label>
        {block.optional && <span class="optional"> (optional)</span>}
      </div>
      <ElementView element={block.element} place={place} />
      {block.hint && (
        <div id={`${id}-hint`} class="hint">
          {block.hint.text}
        </div>
      )}
      {error !== undefined && (
        <div id={`${id}-error`} class="error" role="alert">
          {error}
        </div>
      )}
    </div>
  );
}
