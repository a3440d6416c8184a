import { useEffect, useRef, useState } from 'preact/hooks';
import { sizeText } from '../messages/message-view.tsx';
import type { WorkspaceFile } from '../state/page-start.ts';
import { useUi } from '../state/ui.ts';
import { Pre } from '../text/text-view.tsx';

/** Shows the agent's workspace folder and marks what changed since the page was opened. */
export function FilesView({ revision }: { revision: number }) {
  const { backend, attempt } = useUi();
  const [files, setFiles] = useState<readonly WorkspaceFile[]>();
  const first = useRef<ReadonlyMap<string, string>>(undefined);
  useEffect(() => {
    void attempt(backend.files()).then((found) => {
      if (found === undefined) return;
      first.current ??= new Map(found.map((file) => [file.path, file.text]));
      setFiles(found);
    });
  }, [revision, backend]);
  if (files === undefined) return <p class="muted">Reading the workspace…</p>;
  if (files.length === 0) return <p class="muted">The agent's workspace folder is empty.</p>;
  return (
    <>
      {files.map((file) => (
        <details key={file.path} class="entry-row">
          <summary>
            <span class="entry-name">{file.path}</span>
            {first.current?.get(file.path) !== file.text && <span class="badge">changed</span>}
            <small>{sizeText(file.size)}</small>
          </summary>
          <Pre>{file.text === '' ? '(empty)' : file.text}</Pre>
        </details>
      ))}
    </>
  );
}
