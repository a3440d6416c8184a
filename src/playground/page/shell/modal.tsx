import type { KnownBlock, ModalView } from '@slack/types';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { OpenView } from '../../workspace/workspace-port.ts';
import { Blocks } from '../blocks/block-view.tsx';
import { withState } from '../blocks/form-state.ts';
import { Dialog } from '../controls/dialog.tsx';
import { ElementHostContext } from '../state/element-host.ts';
import { createFormHost, useUi } from '../state/ui.ts';

/** Shows the current person's top modal. Input is kept through errors and updates. */
export function Modal({ open }: { open: OpenView }) {
  const ui = useUi();
  const { view } = open;
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const fields = useRef<readonly string[]>([]);
  fields.current = view.blocks.map((block) => block.block_id ?? '');
  const [firstField] = view.blocks.flatMap((block) =>
    block.type === 'input' ? [block.block_id] : [],
  );
  const host = useMemo(
    () =>
      createFormHost(
        ui,
        (press) => ui.backend.clickInView(press),
        (id) => fields.current.includes(id),
      ),
    [ui.backend, open.id],
  );
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [open.errors]);
  // Scroll to the top when the modal shows another page.
  useEffect(() => form.current?.closest('.dialog-body')?.scrollTo(0, 0), [open.id, firstField]);
  if (view.type !== 'modal') return null;
  const submit = async () => {
    setBusy(true);
    await ui.attempt(ui.backend.submit(host.values()));
    setBusy(false);
  };
  const close = () => void ui.attempt(ui.backend.close());
  const formId = `form-${open.id}`;
  return (
    <Dialog
      title={view.title.text}
      onCancel={close}
      footer={<ModalButtons view={view} formId={formId} isBusy={isBusy} onClose={close} />}
    >
      <form
        ref={form}
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <ElementHostContext.Provider value={host}>
          <Blocks
            blocks={withState(view.blocks as readonly KnownBlock[], open.state)}
            errors={open.errors}
          />
        </ElementHostContext.Provider>
      </form>
    </Dialog>
  );
}

function ModalButtons(props: {
  view: ModalView;
  formId: string;
  isBusy: boolean;
  onClose(): void;
}) {
  const { view, isBusy } = props;
  return (
    <>
      <button type="button" class="button plain" onClick={props.onClose}>
        {view.close?.text ?? (view.submit ? 'Cancel' : 'Close')}
      </button>
      {view.submit && (
        <button
          type="submit"
          form={props.formId}
          class="button primary filled"
          aria-busy={isBusy}
          disabled={isBusy}
        >
          {view.submit.text}
        </button>
      )}
    </>
  );
}
