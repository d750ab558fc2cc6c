/** What can be played instead of talking; copies of tests/data/questions, made by us. */
export const QUESTIONS = Object.freeze([
  { file: 'what_time_is_it.flac', text: 'what time is it' },
  { file: 'how_are_you_today.flac', text: 'how are you today' },
  { file: 'set_a_timer_for_five_minutes.flac', text: 'set a timer for five minutes' },
  { file: 'turn_on_the_lights_in_the_kitchen.flac', text: 'turn on the lights in the kitchen' },
  { file: 'i_would_like_to_book_a_table_for_two_at_seven.flac', text: 'i would like to book a table for two at seven' },
  { file: 'tell_me_a_joke.flac', text: 'tell me a joke' },
]);
