import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Attachment } from '../state/backend.ts';
import { usePageContext } from '../state/names.ts';
import { useUi } from '../state/ui.ts';
import { encodeTyped, parseCommand } from '../text/typed-text.ts';
import { readAttachment } from './attachment.ts';
import { useMention } from './use-mention.tsx';

const MAX_HEIGHT_PX = 180;

/** Shows the input for messages, replies and slash commands. */
export function Composer(props: {
  channel: string;
  threadTs?: string | undefined;
  label: string;
  draft: string;
  onDraft(text: string): void;
}) {
  const { draft, onDraft } = props;
  const { app } = usePageContext().start;
  const field = useRef<HTMLTextAreaElement>(null);
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const send = useSend(props);
  const mention = useMention({ draft, name: app.name, field, onDraft });
  useLayoutEffect(() => {
    if (field.current !== null) fitHeight(field.current);
  }, [draft]);

  const submit = async () => {
    if (await send(draft, files)) setFiles([]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const isHandled = mention.onKey(event.key);
    if (!isHandled && isSendKey(event)) void submit();
    if (isHandled || isSendKey(event)) event.preventDefault();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {mention.list}
      <textarea
        ref={field}
        rows={1}
        aria-label={props.label}
        placeholder={props.label}
        value={draft}
        onInput={(event) => {
          onDraft(event.currentTarget.value);
          mention.follow();
        }}
        onKeyUp={mention.follow}
        onClick={mention.follow}
        onKeyDown={onKeyDown}
      />
      <AttachedFiles
        files={files}
        onRemove={(file) => setFiles(files.filter((other) => other !== file))}
      />
      <div class="composer-tools">
        <AttachButton onAttach={(file) => setFiles([...files, file])} />
        <MentionButton name={app.name} onClick={mention.insert} />
        <button
          type="submit"
          class="send"
          aria-label="Send"
          disabled={draft.trim() === '' && files.length === 0}
        >
          <span aria-hidden="true">➤</span>
        </button>
      </div>
    </form>
  );
}

function AttachedFiles(props: { files: readonly Attachment[]; onRemove(file: Attachment): void }) {
  if (props.files.length === 0) return null;
  return (
    <div class="row">
      {props.files.map((file) => (
        <button
          key={file.name}
          type="button"
          class="chip"
          aria-label={`Remove ${file.name}`}
          onClick={() => props.onRemove(file)}
        >
          {file.name} <span aria-hidden="true">✕</span>
        </button>
      ))}
    </div>
  );
}

function isSendKey(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey;
}

function fitHeight(field: HTMLTextAreaElement): void {
  field.style.height = 'auto';
  field.style.height = `${Math.min(field.scrollHeight, MAX_HEIGHT_PX)}px`;
}

/**
 * Returns a function that sends a draft as a message or command, and resolves with whether it was
 * sent.
 */
function useSend(props: {
  channel: string;
  threadTs?: string | undefined;
  onDraft(text: string): void;
}) {
  const { backend, attempt } = useUi();
  const { app } = usePageContext().start;
  const { channel, threadTs, onDraft } = props;
  const thread = threadTs === undefined ? {} : { threadTs };
  return async (typed: string, files: readonly Attachment[]) => {
    if (typed.trim() === '' && files.length === 0) return false;
    const command = files.length === 0 ? parseCommand(typed) : undefined;
    const sending =
      command === undefined
        ? backend.say({ channel, text: encodeTyped(typed.trim(), app), ...thread, files })
        : backend.command({ channel, ...command, ...thread });
    // Clear the field at once. If sending fails, restore the draft.
    onDraft('');
    const isSent = await attempt(sending.then(() => true));
    if (!isSent) onDraft(typed);
    return isSent === true;
  };
}

function MentionButton(props: { name: string; onClick(): void }) {
  const label = `Mention ${props.name}`;
  return (
    <button type="button" class="icon" aria-label={label} title={label} onClick={props.onClick}>
      @
    </button>
  );
}

function AttachButton({ onAttach }: { onAttach(file: Attachment): void }) {
  const { attempt } = useUi();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File to attach"
        onChange={async (event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = '';
          const read = file && (await attempt(readAttachment(file)));
          if (read) onAttach(read);
        }}
      />
      <button
        type="button"
        class="icon"
        aria-label="Attach a file"
        title="Attach a file"
        onClick={() => input.current?.click()}
      >
        <span aria-hidden="true">+</span>
      </button>
    </>
  );
}
