/** The first rows, with a choice above each column of what it says. */
import { useId } from 'react';
import { NativeSelect } from '@mantine/core';
import { useInvitationTexts } from '../texts';
import { CHOICES, choicesOf, columnsOf, headerOf, peopleOf } from './mapping';
import type { Mapping } from './mapping';
import type { Table } from './table';

interface ColumnTableProps {
  table: Table;
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}

const SHOWN_ROWS = 5;

export function ColumnTable({ table, mapping, onChange }: ColumnTableProps) {
  const { many } = useInvitationTexts();
  const title = useId();
  const { hasHeader, choices } = mapping;
  const people = peopleOf(table, mapping);
  const shown = people.slice(0, SHOWN_ROWS);
  const columns = columnsOf(table).map((index) => {
    const header = hasHeader ? headerOf(table, index) : '';
    return { index, name: header === '' ? many.column(index + 1) : header };
  });
  const choose = (at: number, value: string): void => {
    const choice = CHOICES.find((one) => one === value) ?? 'own';
    onChange({ hasHeader, choices: choices.map((one, index) => (index === at ? choice : one)) });
  };
  return (
    <section className="columns" aria-labelledby={title}>
      <h2 id={title}>{many.columns}</h2>
      <p className="soft">{many.columnsNote}</p>
      <label className="check">
        <input
          type="checkbox"
          checked={hasHeader}
          onChange={({ currentTarget: { checked } }) =>
            onChange({ hasHeader: checked, choices: choicesOf(table, checked) })
          }
        />
        {many.hasHeader}
      </label>
      <div className="columns-scroll" role="group" aria-labelledby={title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ index, name }) => (
                <th key={index} scope="col" data-choice={choices[index]}>
                  <span className="column-name">{name}</span>
                  <NativeSelect
                    size="sm"
                    aria-label={many.columnSays(name)}
                    data={CHOICES.map((value) => ({ value, label: many.choices[value] }))}
                    value={choices[index] ?? 'own'}
                    onChange={(event) => choose(index, event.currentTarget.value)}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ line, cells }) => (
              <tr key={line}>
                {columns.map(({ index }) => (
                  <td key={index} data-choice={choices[index]}>
                    {cells[index]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="soft">{many.preview(shown.length, people.length)}</p>
    </section>
  );
}
