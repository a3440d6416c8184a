import type { ConfirmationDialog } from '@slack/types';
import { useState } from 'preact/hooks';
import { TextView } from '../text/text-view.tsx';
import { Dialog } from './dialog.tsx';

interface Question {
  readonly dialog: ConfirmationDialog;
  answer(isYes: boolean): void;
}

/** Shows confirmation dialogs, one at a time. Place `view` once in the page. */
export function useConfirmations() {
  const [question, setQuestion] = useState<Question>();
  const confirm = (dialog: ConfirmationDialog) =>
    new Promise<boolean>((resolve) => {
      const answer = (isYes: boolean) => {
        setQuestion(undefined);
        resolve(isYes);
      };
      setQuestion({ dialog, answer });
    });
  const view = question === undefined ? null : <ConfirmView {...question} />;
  return { confirm, view };
}

function ConfirmView({ dialog, answer }: Question) {
  const style = dialog.style === 'danger' ? 'danger filled' : 'primary filled';
  return (
    <Dialog
      title={dialog.title?.text ?? 'Are you sure?'}
      class="small"
      onCancel={() => answer(false)}
      footer={
        <>
          <button type="button" class="button plain" onClick={() => answer(false)}>
            {dialog.deny?.text ?? 'Cancel'}
          </button>
          <button type="button" class={`button ${style}`} onClick={() => answer(true)}>
            {dialog.confirm?.text ?? 'OK'}
          </button>
        </>
      }
    >
      <TextView text={dialog.text} />
    </Dialog>
  );
}
