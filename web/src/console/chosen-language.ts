/** The language of the team's pages: as the address says, else as chosen in this browser before, else the browser's. */
import type { Language } from '../api/wire';
import { keep, kept } from './kept';

const KEY = 'colloquy.language';

export function chosenLanguage(): Language {
  const inAddress = new URLSearchParams(location.search).get('language');
  const chosen = [inAddress, kept(KEY)].find((one) => one === 'ru' || one === 'en');
  return chosen ?? (navigator.language.startsWith('ru') ? 'ru' : 'en');
}

export function chooseLanguage(language: Language): void {
  keep(KEY, language);
}
