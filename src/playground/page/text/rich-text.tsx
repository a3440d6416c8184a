import type {
  RichTextBlock,
  RichTextBlockElement,
  RichTextElement,
  RichTextList,
} from '@slack/types';
import { Emoji, Link, Mention } from './inline-view.tsx';
import { formatSlackDate } from './slack-date.ts';
import { Pre } from './text-view.tsx';

/** Shows a rich_text block. */
export function RichText({ block }: { block: RichTextBlock }) {
  return (
    <>
      {block.elements.map((element, index) => (
        <RichTextPart key={index} part={element} />
      ))}
    </>
  );
}

function RichTextPart({ part }: { part: RichTextBlockElement }) {
  switch (part.type) {
    case 'rich_text_section':
      return (
        <div class="text">
          <Elements elements={part.elements} />
        </div>
      );
    case 'rich_text_preformatted':
      return (
        <Pre>
          <Elements elements={part.elements} />
        </Pre>
      );
    case 'rich_text_quote':
      return (
        <blockquote>
          <Elements elements={part.elements} />
        </blockquote>
      );
    case 'rich_text_list':
      return <List list={part} />;
    default:
      return <p class="unsupported">Unsupported rich text: {(part as { type: string }).type}</p>;
  }
}

function List({ list }: { list: RichTextList }) {
  const items = list.elements.map((section, index) => (
    <li key={index}>
      <Elements elements={section.elements} />
    </li>
  ));
  const indent = `indent-${Math.min(list.indent ?? 0, 4)}`;
  return list.style === 'ordered' ? (
    <ol class={indent}>{items}</ol>
  ) : (
    <ul class={indent}>{items}</ul>
  );
}

function Elements({ elements }: { elements: readonly RichTextElement[] }) {
  return (
    <>
      {elements.map((element, index) => (
        <Styled key={index} style={element.style}>
          <ElementView element={element} />
        </Styled>
      ))}
    </>
  );
}

function Styled(props: { style: RichTextElement['style']; children: preact.ComponentChildren }) {
  let view = <>{props.children}</>;
  if (props.style?.code) view = <code>{view}</code>;
  if (props.style?.bold) view = <strong>{view}</strong>;
  if (props.style?.italic) view = <em>{view}</em>;
  if (props.style?.strike) view = <s>{view}</s>;
  return view;
}

function ElementView({ element }: { element: RichTextElement }) {
  switch (element.type) {
    case 'text':
      return <>{element.text}</>;
    case 'link':
      return <Link url={element.url}>{element.text ?? element.url}</Link>;
    case 'user':
      return <Mention kind="user" id={element.user_id} />;
    case 'channel':
      return <Mention kind="channel" id={element.channel_id} />;
    case 'usergroup':
      return <Mention kind="group" id={element.usergroup_id} />;
    case 'broadcast':
      return <span class="mention me">@{element.range}</span>;
    case 'emoji':
      return <Emoji name={element.name} />;
    case 'date':
      return <time>{formatSlackDate(element.timestamp, element.format, new Date())}</time>;
    case 'color':
      return <code>{element.value}</code>;
    case 'team':
      return <span class="mention">@{element.team_id}</span>;
    default:
      return <span class="unsupported">[{(element as { type: string }).type}]</span>;
  }
}
