import { en } from '../../web/src/i18n/en';
import { ru } from '../../web/src/i18n/ru';

test.each([en, ru])('the page says who asks', ({ welcome, interviewer }) => {
  expect(welcome.asks.script.title).toMatch(/A script asks|Спрашивает скрипт/);
  expect(welcome.asks.ai.title).toMatch(/An AI asks|Спрашивает ИИ/);
  expect(interviewer.script).toMatch(/a script|скрипт/);
});
