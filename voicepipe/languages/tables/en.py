"""English."""

from voicepipe.languages.language import Frame, Language, Prompts, Reading, Verdict, words

LANGUAGE = Language(
    code="en",
    name="English",
    voice="en-us",
    otherwise=Verdict.COMPLETE,
    # Some do end turns ("what is it for"): a wrong guess here costs a longer wait, never a cut-off.
    goes_on=words(
        """a an the and or but so because if when while that which who whose my your our their
        his its to of for from with at in on into onto by about between until till than as is
        are was were am be been have has had do does did can could would should will shall may
        might must i'd i'll i'm we'll we'd let let's um uh er erm like set turn put add remind
        call book order make some any every each this these those very really quite maybe half
        quarter without under over near during after before since although though unless we
        they he she i i've we've we're they're you're it's that's there's what's where's want
        need get find tell give going trying looking another one_of a_lot_of kind_of sort_of
        would_like i_was_wondering how_much_does i_mean you_know not only also the_same
        too_much too_many could_you_please can_you_please would_you_please next how hasn't
        haven't isn't doesn't won't wouldn't couldn't shouldn't aren't wasn't weren't didn't
        my_new a_new the_new what_kind_of depends_on such against per due including whether
        being having within towards toward among throughout there's_no there_is_no
        have_no has_no upon despite besides except via versus the_problem_is
        the_thing_is"""
    ),
    ends=words(
        """i_do i_have i_am i_can i_will i_did yes_i_would it_is it_was do_that like_that
        like_this of_this of_that do_this with_that about_that about_this with_this for_that
        for_this want_to_be all_i_need what_i_need what_i_want you_need i_need_one not_one
        the_one this_one that_one another_one i_like_it of_course for_now right_now you_are
        they_are we_are think_so hope_so not_really as_well a_bit_like_that i_hope_so
        i_think_so i_do_not i_would_not what_is_that what_is_this what_was_that how_is_that
        is_that who_is_this who_is_that what_is_it_for where_are_you_from one_more how_are_you
        not_very one_of_those one_of_these one_of_them how_does_it_look i_am_not probably_not
        i_guess_not thank_you maybe is_like was_like look_like looks_like feel_like
        sounds_like you_like what's_next repeat_that say_that said_that forget_that
        change_that cancel_that want_that need_that take_that that_book the_book a_book
        this_book the_order my_order an_order the_call a_call your_call no_i_haven't
        leave_from come_from know_how if_you_want if_you_can if_possible"""
    ),
    either=words(
        """i_don't i_can't i_haven't i_won't i_didn't it_doesn't it_isn't it_won't across around
        both along"""
    ),
    conditionals=("if ",),
    whole=words(
        """yes no yeah nope sure okay ok thanks hello hi hey goodbye bye stop cancel maybe
        never always today tomorrow tonight please again repeat wait help nothing enough
        correct right thank_you no_thanks no_thank_you yes_please not_yet not_now that's_it
        i_do i_am"""
    ),
    particle_verbs=("turn", "switch", "put", "shut"),
    frames=(
        Frame(
            openers=words("turn switch"),
            closed_by=words(
                "on off up down in out over around back left right to into it please and"
            ),
        ),
    ),
    particles=words("on off up down in out"),
    clause_openers=words("why if whether because that when where how while unless although"),
    determiners=words("the a an my your his her our their this that these those"),
    backchannels=words(
        """mhm mm hmm uh huh uhhuh yeah yep yes okay ok right sure alright great good i see
        got it"""
    ),
    stops=words("stop wait hold_on"),
    conjunctions=words(
        "and but or so because since while although though if unless until when where which who"
    ),
    clinging=words(
        """a an the of to in on at by for from with and or but as is are was were be my your
        his her its our their this that these those very not no i you he she it we they"""
    ),
    abbreviations=words(
        """mr mrs ms mx dr prof rev hon sr st mt ft gen col capt lt sgt cpl maj cmdr adm gov
        sen pres messrs mme mlle vs cf viz eg ie e.g i.e resp approx est dept univ vol figs eq
        eqs ch pp nos jan feb apr jun jul aug sept oct nov dec mon tue tues wed thu thur thurs
        fri tel ext u.s u.k u.n e.u d.c ph.d b.sc m.sc"""
    ),
    may_end=words(
        """a.m p.m am pm etc al inc ltd corp co jr bros b.c a.d oz lb lbs hr hrs min max sec
        ave blvd rd hwy"""
    ),
    before_number=words("no fig"),
    reading=Reading(
        currencies={
            "$": ("dollar", "dollars"),
            "€": ("euro", "euros"),
            "£": ("pound", "pounds"),
            "₹": ("rupee", "rupees"),
        },
        scales=("thousand", "million", "billion", "trillion"),
        and_="and",
        number="number",
        to="to",
        equals="equals",
        about="about",
        at="at",
        dot="dot",
    ),
    prompts=Prompts(
        greeting="Hello, how can I help you?",
        fillers=("One moment.", "Let me see."),
        listening=("Uh-huh.",),
        silence="Are you still there?",
        goodbye="I cannot hear you. Goodbye.",
    ),
)
