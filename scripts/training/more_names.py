"""First names and surnames for the chat model: the common ones, so that those are copied well."""

# ruff: noqa: E501  names are read across

from __future__ import annotations

from typing import Final

from slots import phrases

FIRST_NAMES: Final = phrases(
    "aaron, abigail, adam, adrian, aisha, alan, alex, alexa, alexandra, alexis, alicia, alison, amber,"
    "amelia, amy, andrea, andy, anita, anne, annie, anthony, april, ashley, audrey, austin, ava, barry,"
    "beatrice, becky, bella, bethany, betty, bill, billy, blake, bob, bonnie, brandon, brenda, bruce,"
    "bryan, caleb, cameron, carl, carla, carmen, carol, caroline, carolyn, casey, cassandra, cathy,"
    "chad, charlotte, chelsea, cheryl, chloe, chris, christian, christina, christine, cindy, claire,"
    "claudia, cody, colin, connor, craig, crystal, curtis, daisy, dale, dana, danielle, danny, daphne,"
    "darren, dave, dawn, dean, debbie, dennis, derek, diana, diane, diego, donald, donna, doris, doug,"
    "duncan, dylan, eddie, edith, edwin, eileen, elaine, eli, elise, ella, ellen, ellie, elliot, elsie,"
    "emilia, eric, erica, erin, ethan, eva, evan, eve, evie, faith, freddie, freya, gail, gareth, gary,"
    "gavin, gemma, george, georgia, gerry, gina, glen, glenn, gordon, graham, greg, gregory, gus, hamza,"
    "harry, hassan, hazel, heather, hector, heidi, holly, hope, howard, ibrahim, ida, isaac, isabella,"
    "isla, ivy, jacob, jade, jake, jamal, jamie, jan, jane, janet, janice, jasper, javier, jay, jean,"
    "jeff, jenna, jenny, jerome, jerry, jill, jim, jimmy, jo, joan, joanna, joanne, joe, joel, johnny,"
    "jon, jordan, jorge, jose, joseph, josh, joy, joyce, juan, judith, judy, julian, julie, june,"
    "justin, kai, karl, karim, kathleen, kathryn, kathy, katie, kayla, keith, kelly, ken, kerry, kim,"
    "kimberly, kirsten, kurt, kyle, lance, lars, lauren, lea, leah, lee, leila, leona, leslie, lewis,"
    "liam, lilian, liz, logan, lois, lola, lorraine, louis, lucia, lucy, luis, luke, luna, lynn, maggie,"
    "mandy, marco, marcus, margot, marie, marina, mario, marion, marlene, marsha, martha, marvin, mason,"
    "matt, maureen, maurice, maxine, maya, megan, meredith, micah, michelle, miguel, mike, mila, miles,"
    "millie, miriam, mitchell, mohammed, molly, morgan, muhammad, myra, nadia, nancy, naomi, natalie,"
    "natasha, ned, neil, nelly, nick, nicole, nigel, noah, noel, olive, olivia, oscar, owen, pablo, pam,"
    "pamela, patrick, paula, pauline, pedro, peggy, penny, perry, phil, phoebe, polly, rachael, ralph,"
    "ramon, randy, raj, ravi, ray, rhys, ricardo, rick, ricky, riley, rob, robin, rodney, roger, roland,"
    "ron, ronald, rory, rosalind, rose, rosie, ross, roy, ruby, russell, ruth, ryan, sabrina, sadie,"
    "sally, samir, samuel, sara, scarlett, scott, sean, selena, serena, seth, shane, shannon, sharon,"
    "shaun, sheila, shirley, sid, sienna, sonia, sophia, sophie, spencer, stacey, stan, stella, stephen,"
    "steve, stuart, sue, sunil, suzanne, tamara, tanya, ted, teresa, terry, tess, tessa, theo, tiffany,"
    "tim, tina, toby, todd, tony, tracy, travis, trevor, troy, tyler, valerie, vicky, viola, violet,"
    "wayne, wesley, will, winston, yasmin, yolanda, yuki, zara, zoey"
)
SURNAMES: Final = phrases(
    "adams, alexander, allen, andrews, ali, bailey, barnes, begum, bishop, black, blair, boyd, brooks,"
    "burke, burns, burton, butler, byrne, carlson, carpenter, carr, chan, chapman, chen, christensen,"
    "cole, coleman, collins, cox, cruz, curtis, daniels, davies, davis, day, dean, diaz, dixon, doyle,"
    "duncan, dunn, elliott, ellis, evans, fernandez, fleming, ford, foster, francis, fraser, freeman,"
    "garcia, gibson, gordon, graham, grant, gray, greene, gupta, hansen, hart, harvey, hayes, henderson,"
    "henry, hicks, holmes, howard, hudson, hunt, hunter, jackson, jacobs, james, jenkins, jordan, kaur,"
    "kelly, kennedy, khan, knight, kumar, larsen, lawson, lee, lewis, li, lloyd, long, marsh, martin,"
    "mason, matthews, mcdonald, mills, moore, morales, morris, murray, myers, nelson, nielsen, norris,"
    "o'brien, o'connor, olson, ortiz, owens, palmer, park, payne, pearson, perez, perkins, perry,"
    "phillips, porter, powell, price, ramirez, reed, reyes, reynolds, rice, rivera, rodriguez, rogers,"
    "ross, russell, ryan, sanchez, schneider, scott, sharma, shaw, silva, simpson, snyder, stewart,"
    "sato, suzuki, thomas, torres, tucker, wagner, wang, ward, warren, washington, webb, wells, west,"
    "white, williams, willis, wong, woods, yang, zhang, ziegler"
)
