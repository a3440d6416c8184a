import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { WorkspaceMessage } from '../../workspace/workspace-port.ts';
import { dayHeading } from '../text/slack-date.ts';
import { MessageView } from './message-view.tsx';
import { continuesPrevious, dateOfTs } from './thread-messages.ts';

/** A list scrolled this close to its end counts as being at its end. */
const NEAR_END_PX = 120;

/**
 * Shows messages in order. At the end it follows new messages; elsewhere it shows a button that
 * jumps to them.
 */
export function MessageList(props: {
  messages: readonly WorkspaceMessage[];
  showsReplies: boolean;
  showsDays: boolean;
  label: string;
  empty?: preact.ComponentChildren;
  before?: preact.ComponentChildren;
  after?: preact.ComponentChildren;
}) {
  const newest = props.messages.at(-1)?.ts ?? '';
  const { list, lastSeen, toEnd, onScroll } = useFollowedEnd(newest);
  return (
    <div
      class="messages"
      ref={list}
      role="log"
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus.
      tabIndex={0}
      onScroll={onScroll}
    >
      {props.before}
      {props.messages.length === 0 && props.empty}
      {props.messages.map((message, index) => {
        const before = props.messages[index - 1];
        const day = dayHeading(dateOfTs(message.ts), new Date());
        const isNewDay =
          before === undefined || day !== dayHeading(dateOfTs(before.ts), new Date());
        return (
          <div key={`${message.ts}${message.visibleTo ?? ''}`}>
            {isNewDay && props.showsDays && <div class="day">{day}</div>}
            <MessageView
              message={message}
              isCompact={!isNewDay && continuesPrevious(message, before)}
              showsReplies={props.showsReplies}
            />
          </div>
        );
      })}
      {props.after}
      {newest > lastSeen && (
        <div class="jump">
          <button type="button" onClick={toEnd}>
            New message <span aria-hidden="true">↓</span>
          </button>
        </div>
      )}
    </div>
  );
}

/** Keeps a list at its end while it grows, unless a person has scrolled away from it. */
function useFollowedEnd(newest: string) {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [lastSeen, setLastSeen] = useState(newest);
  const toEnd = () => list.current?.scrollTo({ top: list.current.scrollHeight });
  useLayoutEffect(() => {
    if (!isAtEnd.current) return;
    toEnd();
    setLastSeen(newest);
  });
  const onScroll = () => {
    const box = list.current;
    if (box === null) return;
    isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX;
    if (isAtEnd.current) setLastSeen(newest);
  };
  return { list, lastSeen, toEnd, onScroll };
}
