/** A list of interviews as a file. What is chosen stands in the address, so that a list can lead here. */
import { useState } from 'react';
import type { ChangeEvent } from 'react';
import { Radio, Select, TextInput } from '@mantine/core';
import { useSearch } from 'wouter';
import { STATES, filtersOf, queryOf } from '../interviews/filters';
import { useLanguage } from '../language';
import { BusyButton } from '../shell/busy-button';
import { useVacancies } from '../vacancies';
import { beginningOf, dayFrom, endOf } from './days';
import { placeOf } from './files';
import { useRecordsTexts } from './texts';
import { useDownload } from './use-download';

const FORMATS = ['csv', 'json'] as const;
const LANGUAGES = ['en', 'ru'] as const;
const SEPARATORS = ['comma', 'semicolon', 'tab'] as const;
/** As spreadsheets of the language expect it. */
const USUAL = { en: 'comma', ru: 'semicolon' } as const;

export function ExportsTab() {
  const { exports: words } = useRecordsTexts();
  const { texts, language: own } = useLanguage();
  const { titles } = useVacancies();
  const search = useSearch();
  const [filters, setFilters] = useState(() => ({
    ...filtersOf(search),
    from: dayFrom(new URLSearchParams(search).get('from')),
    to: dayFrom(new URLSearchParams(search).get('to')),
  }));
  const [format, setFormat] = useState<(typeof FORMATS)[number]>('csv');
  const [language, setLanguage] = useState(own);
  const [separator, setSeparator] = useState<(typeof SEPARATORS)[number] | null>(null);
  const { isBusy, save } = useDownload();
  const vacancies = [...titles].map(([value, label]) => ({ value, label }));
  const set = (change: Partial<typeof filters>): void => setFilters({ ...filters, ...change });
  const day = (name: 'from' | 'to') => ({
    label: words[name],
    type: 'date',
    value: filters[name] ?? '',
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      const chosen = dayFrom(event.currentTarget.value);
      set(name === 'from' ? { from: chosen } : { to: chosen });
    },
  });
  const run = (): void => {
    const { from, to } = filters;
    const file = format === 'csv' ? { language, separator: separator ?? USUAL[language] } : {};
    const times = { since: from && beginningOf(from), until: to && endOf(to) };
    const query = { ...queryOf(filters), ...times, format, ...file };
    void save(placeOf('/api/v1/interviews/export', query));
  };
  return (
    <>
      <p className="records-lead">{words.lead}</p>
      <form
        className="records-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <div className="records-fields">
          <Select
            label={words.state}
            placeholder={texts.interviews.anyState}
            data={STATES.map((value) => ({ value, label: texts.interviews.states[value] }))}
            value={filters.state}
            clearable
            clearButtonProps={{ 'aria-label': texts.interviews.anyState }}
            onChange={(state) => set({ state: STATES.find((one) => one === state) ?? null })}
          />
          <Select
            label={words.vacancy}
            placeholder={texts.interviews.anyVacancy}
            data={vacancies}
            value={filters.vacancy}
            searchable={vacancies.length > 8}
            clearable
            clearButtonProps={{ 'aria-label': texts.interviews.anyVacancy }}
            nothingFoundMessage={texts.interviews.noVacancy}
            onChange={(vacancy) => set({ vacancy })}
          />
          <TextInput
            label={words.text}
            value={filters.text}
            maxLength={200}
            autoComplete="off"
            onChange={(event) => set({ text: event.currentTarget.value })}
          />
          <TextInput {...day('from')} />
          <TextInput {...day('to')} />
        </div>
        <Choice
          label={words.format}
          names={words.formats}
          values={FORMATS}
          value={format}
          onValue={setFormat}
        />
        {format === 'csv' && (
          <>
            <Choice
              label={words.language}
              names={words.languages}
              values={LANGUAGES}
              value={language}
              onValue={setLanguage}
            />
            <Choice
              label={words.separator}
              names={words.separators}
              values={SEPARATORS}
              value={separator ?? USUAL[language]}
              onValue={setSeparator}
            />
          </>
        )}
        <p className="soft">{words.note}</p>
        <p>
          <BusyButton type="submit" isBusy={isBusy}>
            {isBusy ? words.busy : words.action}
          </BusyButton>
        </p>
      </form>
    </>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  names: Record<Value, string>;
  values: readonly Value[];
  value: Value;
  onValue: (value: Value) => void;
}

function Choice<Value extends string>({
  label,
  names,
  values,
  value,
  onValue,
}: ChoiceProps<Value>) {
  return (
    <Radio.Group
      label={label}
      value={value}
      onChange={(next) => {
        const found = values.find((one) => one === next);
        if (found !== undefined) onValue(found);
      }}
    >
      <div className="records-choice">
        {values.map((one) => (
          <Radio key={one} value={one} label={names[one]} />
        ))}
      </div>
    </Radio.Group>
  );
}
