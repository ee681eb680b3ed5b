"""Turns situations into sentence patterns in French; source layer."""

from __future__ import annotations

from k3mock.generator.phrases import phrases

PHRASES = {
    "think_user": phrases(
        "La demande est : « {quote} ». Voyons d’abord ce qui est vraiment attendu.",
        "Je relis : « {quote} ». Qu’est-ce qui aiderait le plus ici ?",
        "On me demande : « {quote} ». Je réfléchis un instant avant de répondre.",
    ),
    "think_plain": phrases(
        "Le message ne dit presque rien, je dois donc deviner avec prudence ce qui serait utile.",
        "Il y a peu de texte ici ; je me demande quelle réponse pourrait servir à quelque chose.",
    ),
    "think_result": phrases(
        "L’appel à {source} a renvoyé « {result} ». Voyons ce que cela signifie.",
        "J’ai maintenant le résultat de {source} : « {result} ». Je le compare à la question.",
    ),
    "think_results_empty": phrases(
        "L’appel à {source} n’a rien renvoyé, et je dois le dire dans la réponse.",
    ),
    "think_about": phrases(
        "Les mots importants sont « {a} » et « {b} » ; la réponse doit rester proche de ces deux "
        "idées.",
        "L’essentiel est « {a} » ; le reste du message ne fait que préciser la question.",
        "Si je parle de « {c} », ce doit être parce que cela change ce que je dis sur « {a} ».",
        "Qui pose une question sur « {a} » veut sans doute une réponse utilisable tout de suite.",
        "Je pourrais commencer par « {b} », mais « {a} » vient en premier dans la demande.",
    ),
    "think_tools": phrases(
        "Je dispose de ces outils : {tools}. L’un d’eux convient-il ?",
        "Parmi les outils proposés ({tools}), je ne choisis que celui qui fait avancer.",
    ),
    "think_tool": phrases(
        "L’outil {tool} correspond à la demande ; l’appeler vaut mieux que deviner.",
        "Il me manque des données, et {tool} peut me les donner.",
        "Pour {tool}, je prends les arguments dans le message : {values}.",
    ),
    "think_next": phrases(
        "Cette étape est faite ; la suivante demande {tool}.",
        "La tâche n’est pas finie : il reste l’étape avec {tool}.",
    ),
    "think_no_tool": phrases(
        "Aucun outil n’est nécessaire ici, je peux répondre directement.",
        "Un appel n’apporterait rien de plus, je réponds donc moi-même.",
    ),
    "think_facts": phrases(
        "Le résultat donne ceci : {result}. La réponse doit s’appuyer dessus.",
        "Je rapporte ce que {source} a renvoyé, sans inventer de chiffres.",
        "Inutile de rappeler {source}, le résultat suffit.",
    ),
    "think_media": phrases(
        "Il y a aussi quelque chose à regarder : {media}. Je dois en tenir compte.",
        "Le message contient {media}, la réponse doit y faire référence.",
    ),
    "think_form": phrases(
        "La forme est imposée : {form}. Je m’y tiens sans rien ajouter.",
        "On attend {form}, ce qui décide de l’allure de la réponse.",
    ),
    "think_history": phrases(
        "Ce n’est pas le premier message, je reste donc cohérent avec ce qui précède.",
    ),
    "think_plan": phrases(
        "Mon plan : d’abord l’essentiel, ensuite le détail qui l’appuie.",
        "D’abord la réponse directe, puis une raison, et c’est tout.",
        "J’esquisse : une affirmation claire, une courte explication, un conseil pratique.",
        "Je pourrais remonter aux origines, mais ce serait plus que demandé.",
        "Première étape : distinguer ce qui est sûr de ce qui est supposé.",
        "Je découpe la tâche : ce qui est donné, ce qui manque, ce qui en découle.",
        "Jusqu’où entrer dans le détail ? Un niveau moyen paraît juste.",
        "Je pourrais poser une question, mais j’ai assez d’éléments pour répondre.",
    ),
    "think_check": phrases(
        "Attention à ne pas lire plus que ce qui est écrit.",
        "Y a-t-il une contradiction ? Je n’en vois pas.",
        "Le ton doit convenir : simple, aimable, direct.",
        "J’évite ce que je ne peux pas justifier.",
        "Je reprends depuis le début ; les étapes tiennent.",
        "Un point pourrait être mal compris, je le formule avec soin.",
        "Pour la longueur : on doit pouvoir lire la réponse d’une traite.",
        "Rien de délicat ici, je peux répondre simplement.",
    ),
    "think_done": phrases(
        "Bien, je sais maintenant quoi écrire.",
        "Assez réfléchi, passons à la réponse.",
    ),
    "think_done_call": phrases("J’appelle donc {tool}.", "L’étape suivante est d’appeler {tool}."),
    "say_lead": phrases(
        "En bref, « {a} » dépend surtout d’un point : « {b} ».",
        "Sur le sujet « {a} », mieux vaut commencer par une vue d’ensemble.",
        "L’essentiel sur « {a} » tient en quelques phrases.",
    ),
    "say_lead_how": phrases(
        "Pour « {a} », le plus simple est d’avancer par petites étapes.",
        "Commencez par les bases de « {a} », puis essayez sur un cas simple.",
    ),
    "say_lead_why": phrases(
        "Pour « {a} », plusieurs raisons se combinent, mais une seule domine en général.",
        "La raison principale, pour « {a} », est moins évidente qu’il n’y paraît.",
    ),
    "say_lead_compare": phrases(
        "« {a} » et « {b} » ont chacun leurs points forts ; tout dépend de votre besoin.",
        "La différence entre « {a} » et « {b} » se voit surtout à l’usage.",
    ),
    "say_lead_plain": phrases(
        "J’ai peu d’éléments, mais voici ce que je peux dire.",
        "Je vous aide volontiers ; avec un peu plus de contexte, je serai plus précis.",
    ),
    "say_body": phrases(
        "Il vaut mieux séparer ce qui est sûr de ce qui est seulement supposé.",
        "De petits pas réguliers mènent souvent plus loin qu’un grand effort.",
        "Les bonnes questions sont : combien, en combien de temps, avec qui ?",
        "« {a} » et « {b} » vont souvent ensemble, car l’un influence l’autre.",
        "Le plus pratique est de commencer petit et de vérifier le résultat à chaque étape.",
        "{person}, qui connaît bien le sujet, le dit simplement : d’abord les bases.",
        "Si « {c} » compte aussi pour vous, prévoyez-le dès le début.",
        "On oublie souvent à quel point « {b} » pèse sur le résultat.",
        "Une fois « {a} » bien compris, les autres questions se règlent presque seules.",
        "Des entreprises comme {company} procèdent par étapes et corrigent en chemin.",
    ),
    "say_body_what": phrases(
        "Plusieurs éléments entrent en jeu, dont le temps, le lieu et les personnes concernées.",
        "Les avis divergent sur les détails, mais les grandes lignes ne font pas débat.",
        "Ce qui paraît simple de loin révèle plusieurs couches de près.",
        "Ce que l’on sait sur « {a} » vient souvent d’une longue et patiente observation.",
        "{person}, qui suit le sujet depuis des années, insiste sur le rôle des petites causes.",
        "La situation varie selon les lieux ; à {city}, par exemple, l’accent est différent.",
        "Certains points sont réglés depuis longtemps, d’autres restent discutés.",
    ),
    "say_body_plain": phrases(
        "Si vous m’en dites plus sur votre but, ma réponse sera plus précise.",
        "En attendant, le plus sûr est de commencer petit et d’observer.",
        "Vous pouvez m’envoyer une question, un texte ou un problème à résoudre.",
        "Je peux expliquer, résumer, traduire ou écrire du code.",
        "Il est souvent utile de noter le résultat voulu et les limites à respecter.",
    ),
    "say_close": phrases(
        "Voilà de quoi bien commencer avec « {a} ».",
        "Je peux détailler « {a} » si vous le souhaitez.",
    ),
    "say_close_plain": phrases("Dites-moi simplement par où commencer.",
    "Je continue volontiers à partir d’ici."),
    "say_known": phrases(
        "C’est toute la réponse ; je peux aussi expliquer comment on y arrive.",
        "S’il vous faut plus de contexte, demandez-le-moi.",
    ),
    "say_greeting": phrases(
        "Bonjour ! Ravi de vous lire. De quoi voulez-vous parler aujourd’hui, ou sur quoi "
        "travaillons-nous ?",
        "Bonjour ! Je suis prêt. Posez-moi une question ou confiez-moi une tâche, et nous "
        "commençons.",
    ),
    "say_media": phrases(
        "J’ai regardé ce que vous avez envoyé : {media}.",
        "Merci, voici ce que j’ai reçu : {media}.",
    ),
    "say_result": phrases(
        "D’après {source} : {facts}.",
        "Voici ce que {source} a renvoyé : {facts}.",
        "J’ai vérifié avec {source}, et le résultat est clair : {facts}.",
    ),
    "say_result_empty": phrases(
        "L’appel à {source} s’est terminé, mais il n’a renvoyé aucune donnée.",
    ),
    "say_result_error": phrases(
        "L’appel à {source} n’a pas abouti : {facts}.",
        "Malheureusement, {source} signale un problème : {facts}.",
    ),
    "say_result_close": phrases(
        "Cela répond à la question ; dites-moi s’il vous faut plus de détails.",
        "Dites-moi si je dois vérifier autre chose.",
    ),
    "say_item": phrases(
        "Commencer par « {a} » et garder une première version simple",
        "Vérifier l’effet de « {b} » sur le résultat",
        "Noter ce que l’on attend de « {a} »",
        "Demander conseil à une personne d’expérience, comme {first}",
        "Garder une marge pour « {c} »",
        "Comparer « {a} » avec une solution plus simple",
        "Revoir « {b} » une fois par semaine",
        "Prendre des notes sur « {a} » pour justifier ses choix",
        "Écarter ce qui n’apporte rien à « {a} »",
    ),
    "say_item_plain": phrases(
        "Commencer par la plus petite étape utile",
        "Écrire le but en une phrase",
        "Demander un second avis, par exemple à {first}",
        "Vérifier le résultat avant de continuer",
        "Garder ce qui marche et laisser le reste",
        "Prévoir du temps pour l’imprévu",
        "Faire le point au bout d’une semaine",
    ),
    "say_list": phrases("Sur « {a} », voici l’essentiel :",
    "Quelques points à connaître sur « {a} » :"),
    "say_table": phrases("Le tableau résume les points importants sur « {a} » :"),
    "say_poem": phrases(
        "« {A} », dit la chanson,", "qui passe devant la maison,",
        "le vent emporte un mot léger", "que nul n’avait encore chanté,",
        "et quand le soir descend enfin,", "il reste un peu de ce matin.",
    ),
    "say_story": phrases(
        "{first} vivait à {city} et ne pensait plus qu’à une chose : {a}.",
        "Un matin, une lettre sans timbre attendait devant la porte.",
        "Elle ne contenait que quelques mots : « {a} ».",
        "Alors {first} prépara un petit sac et partit sans rien dire à personne.",
        "Le soir, tout avait changé, et pourtant c’était comme rentrer à la maison.",
    ),
    "say_joke": phrases(
        "Pourquoi les plongeurs plongent-ils en arrière ? Parce que sinon ils tomberaient dans le "
        "bateau.",
        "Que fait un développeur sous la douche ? Il lit le flacon : appliquer, rincer, répéter… "
        "et n’en sort plus.",
        "Deux octets se croisent. « Tu es malade ? » – « Non, je me sens juste un bit à côté. »",
    ),
    "say_mail": phrases(
        "Objet : {A}\n\nBonjour {first},\n\nJe vous écris au sujet suivant : {a}. Auriez-vous un "
        "moment cette semaine pour en parler ?\n\nBien cordialement,\n{person}",
        "Objet : une question rapide\n\nBonjour {first},\n\nAuriez-vous vingt minutes cette "
        "semaine "
        "pour parler de la suite ?\n\nBien cordialement,\n{person}",
    ),
    "say_code": phrases(
        "Le code est volontairement court ; adaptez les noms à votre projet.",
        "Il n’a aucune dépendance, vous pouvez le copier et l’exécuter tel quel.",
    ),
    "go_on_new": phrases(
        "Le point suivant est « {a} », dont beaucoup de choses découlent.",
        "À partir d’ici, les détails comptent plus que l’idée générale.",
    ),
    "go_on_comma": phrases(
        "et c’est la partie que l’on retient le plus souvent.",
        "ce qui mérite qu’on y regarde de plus près.",
    ),
    "go_on_colon": phrases(
        "commencer petit, rester simple et bâtir sur ce qui marche.",
        "avancer pas à pas et vérifier le résultat à chaque étape.",
    ),
    "go_on_verb": phrases("plus facile à comprendre si l’on regarde un cas après l’autre.",),
    "go_on_article": phrases("partie qui compte le plus, et le reste en découle.",),
    "go_on_other": phrases(
        "calmement, une étape après l’autre.",
        "avec « {a} » comme point de départ, le reste suivant pas à pas.",
    ),
    "say_step": phrases(
        "Préciser le but et ce qui serait un bon résultat",
        "Réunir tout ce qu’il faut",
        "Commencer par la version la plus simple qui marche",
        "Vérifier le résultat et noter ce qui peut être amélioré",
        "Changer une seule chose à la fois, puis comparer",
        "Écrire ce qui a marché pour pouvoir le refaire",
    ),
    "say_look": phrases(
        "Le sujet principal est net et le fond reste discret.",
        "Les couleurs et la lumière sont régulières, l’impression d’ensemble est calme.",
        "Les détails fins se distinguent mal à cette résolution.",
        "Dites-moi ce qui vous intéresse, et je regarderai cette partie de plus près.",
    ),
    "text_body": phrases(
        "Ce message concerne {a}. Contactez-moi si vous avez des questions.",
        "Voici les informations demandées. Dites-moi s’il manque quelque chose.",
    ),
    "text_value": phrases("Courte note sur {a}", "Ce qu’il faut savoir : {a}",
    "Courte note pour {first}"),
}  # fmt: skip

EXACT = {
    1: phrases("{one}."),
    2: phrases("Surtout {one}.", "Certainement {one}."),
    3: phrases("Commencez par {one}.", "Pensez à {one}."),
    4: phrases("Commencez simplement par {one}.", "Tout part de {one}."),
    5: phrases("Tout commence souvent par {one}.", "Le plus important reste {one}."),
    6: phrases("Un regard clair sur {one} aide.", "Presque tout dépend ici de {one}."),
    7: phrases("Avec {one}, les petits pas marchent mieux.",
        "Personne ne maîtrise {one} en un jour."),
    8: phrases(
        "Tout le reste suit quand on comprend {one}.",
        "Posez vos questions, écoutez bien et simplifiez {one}.",
    ),
}  # fmt: skip

HAIKU = {
    0: phrases("Le matin se tait,", "Une feuille tombe,"),
    1: phrases("{a} au vent du soir,"),
    2: phrases("{a} du matin,"),
    3: phrases("{a} au vent,"),
    4: phrases("{a}, seul,"),
    7: phrases("le vent passe sans un mot,", "la lumière attend encore,"),
    5: phrases("puis revient la nuit.", "et tout recommence."),
}  # fmt: skip
