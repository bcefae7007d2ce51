/** From which example a new vacancy begins, and how it is called in addresses. */
import { useState } from 'react';
import { Button, Radio, TextInput } from '@mantine/core';
import { useLocation } from 'wouter';
import { useLanguage } from '../language';
import { Dialog, DialogActions } from '../shell/dialog';
import type { Drafts } from './draft';
import { NEW } from './draft';
import { EXAMPLES, EXAMPLE_TITLES, exampleOf, isSlug } from './examples';
import { NEW_VACANCY } from './places';
import { useVacanciesTexts } from './texts';

interface ExampleDialogProps {
  opened: boolean;
  drafts: Drafts;
  onClose: () => void;
}

export function ExampleDialog({ opened, drafts, onClose }: ExampleDialogProps) {
  const { fromExample } = useVacanciesTexts();
  const { language } = useLanguage();
  const [, navigate] = useLocation();
  const own = EXAMPLES.find((one) => EXAMPLE_TITLES[one].language === language) ?? EXAMPLES[0];
  const [example, setExample] = useState(own);
  const [slug, setSlug] = useState('');
  const [isWrong, setWrong] = useState(false);
  const begin = (): void => {
    if (!isSlug(slug.trim())) {
      setWrong(true);
      return;
    }
    // What was begun before stays beside it.
    const kept = drafts.read(NEW);
    if (kept !== null && drafts.putAside(NEW, kept.text)) drafts.drop(NEW);
    const query = new URLSearchParams({ example, slug: slug.trim() });
    navigate(`${NEW_VACANCY}?${query.toString()}`);
  };
  return (
    <Dialog opened={opened} title={fromExample.title} onClose={onClose}>
      <form
        className="dialog"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          begin();
        }}
      >
        <p>{fromExample.text}</p>
        <Radio.Group
          aria-label={fromExample.title}
          value={example}
          onChange={(name) => setExample(exampleOf(name) ?? own)}
        >
          <div className="roles">
            {EXAMPLES.map((one) => (
              <Radio
                key={one}
                value={one}
                label={EXAMPLE_TITLES[one].title}
                description={fromExample.languages[EXAMPLE_TITLES[one].language]}
              />
            ))}
          </div>
        </Radio.Group>
        <TextInput
          data-autofocus
          label={fromExample.slug}
          description={fromExample.slugNote}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={64}
          value={slug}
          error={isWrong ? fromExample.slugWrong : null}
          onChange={(event) => {
            setSlug(event.currentTarget.value);
            setWrong(false);
          }}
        />
        <DialogActions onCancel={onClose}>
          {drafts.read(NEW) !== null && (
            <Button variant="default" onClick={() => navigate(NEW_VACANCY)}>
              {fromExample.goOn}
            </Button>
          )}
          <Button type="submit">{fromExample.action}</Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
