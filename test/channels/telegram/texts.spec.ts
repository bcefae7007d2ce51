import { telegramTextsOf } from '../../../src/channels/telegram/texts/texts';

test.each([
  [1, 'in 1 min', 'через 1 мин.'],
  [59, 'in 59 min', 'через 59 мин.'],
  [60, 'in 1 h', 'через 1 ч'],
  [61, 'in 2 h', 'через 2 ч'],
  [960, 'in 16 h', 'через 16 ч'],
])('a lock of %i minutes ends "%s"', (minutes, english, russian) => {
  expect(telegramTextsOf('en').pinLocked(minutes)).toContain(` ${english},`);
  expect(telegramTextsOf('ru').pinLocked(minutes)).toContain(` ${russian} или`);
});
