import type { TableBlock } from '@slack/types';
import { RichText } from '../text/rich-text.tsx';

/** Shows a table block. Wide tables scroll inside their own box. */
export function TableView({ block }: { block: TableBlock }) {
  return (
    <div class="scroll">
      <table>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={block.column_settings?.[column]?.align ?? 'left'}>
                  {cell.type === 'rich_text' ? <RichText block={cell} /> : cell.text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
